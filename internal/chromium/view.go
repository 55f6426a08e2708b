//go:build unix

package chromium

import (
	"encoding/base64"
	"fmt"
	"os"
)

// A View is how a page is looked at.
type View struct {
	Width int
	Dark  bool
	Print bool // on paper of that width
}

func (v View) String() string {
	name := fmt.Sprint(v.Width, " px")
	if v.Dark {
		name += ", dark"
	}
	if v.Print {
		name += ", print"
	}
	return name
}

// Look sets the view.
func (b *Browser) Look(v View) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": v.Width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	scheme, medium := "light", "screen"
	if v.Dark {
		scheme = "dark"
	}
	if v.Print {
		medium = "print"
	}
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": medium, "features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Picture writes what is shown, the whole page up to a height, as PNG.
func (b *Browser) Picture(file string, v View) {
	b.t.Helper()
	var metrics struct {
		Size struct{ Height float64 } `json:"cssContentSize"`
	}
	b.call("Page.getLayoutMetrics", nil, &metrics)
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{
		"captureBeyondViewport": true,
		"clip":                  map[string]any{"x": 0, "y": 0, "width": v.Width, "height": min(metrics.Size.Height, 8000), "scale": 1},
	}, &shot)
	image, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, image, 0o666); err != nil {
		b.t.Fatal(err)
	}
}
