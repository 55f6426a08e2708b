//go:build unix

package chromium

import "fmt"

// Click presses and releases the left button of the mouse in the middle of the element that a selector of CSS names, as often as times says.
func (b *Browser) Click(selector string, times int) {
	b.t.Helper()
	var answer struct {
		Result struct{ Value *struct{ X, Y float64 } }
	}
	b.call("Runtime.evaluate", map[string]any{"expression": fmt.Sprintf(`(() => {
		const el = document.querySelector(%q);
		if (!el) return null;
		el.scrollIntoView({block: "center"});
		const r = el.getBoundingClientRect();
		return {x: r.x + r.width / 2, y: r.y + r.height / 2};
	})()`, selector), "returnByValue": true}, &answer)
	at := answer.Result.Value
	if at == nil {
		b.t.Fatalf("there is no %s in\n%s", selector, b.Run("() => [document.body.innerText]"))
	}
	for n := range times {
		for _, kind := range []string{"mousePressed", "mouseReleased"} {
			b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": n + 1}, nil)
		}
	}
}

// Press presses and releases a key, such as "Tab" or "Enter".
func (b *Browser) Press(key string, code int) {
	b.t.Helper()
	text := map[string]string{"Enter": "\r", "Space": " "}[key]
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text}, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": code}, nil)
}

// Type writes text where the focus is.
func (b *Browser) Type(text string) {
	b.t.Helper()
	b.call("Input.insertText", map[string]any{"text": text}, nil)
}
