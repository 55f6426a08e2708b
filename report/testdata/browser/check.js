// What must hold for a page of gitdd as it is shown now, as a function that
// browser_test.go calls in the page; it returns what does not hold, in words.
// mode is {print: bool}.
(mode) => {
  const faults = new Map(); // kind to [count, the first few]
  const name = (el) => {
    const cls = el.getAttribute && el.getAttribute('class');
    const text = (el.textContent || '').trim().replace(/\s+/g, ' ').slice(0, 40);
    return '<' + el.localName + (el.id ? '#' + el.id : '') + (cls ? '.' + cls.trim().replace(/\s+/g, '.') : '') + '>' + (text ? ' "' + text + '"' : '');
  };
  const fault = (kind, el, more) => {
    const known = faults.get(kind) || [0, []];
    faults.set(kind, known);
    if (known[0]++ < 3) known[1].push([el ? name(el) : '', more || ''].filter(Boolean).join(' '));
  };
  const root = document.documentElement;
  const width = root.clientWidth;

  // The frame of a page.
  if (document.compatMode !== 'CSS1Compat') fault('quirks mode');
  if (!document.title.trim()) fault('no title');
  if (!root.lang) fault('no language');
  if (document.querySelectorAll('h1').length !== 1) fault('not one h1', null, String(document.querySelectorAll('h1').length));
  if (document.scripts.length) fault('a script', document.scripts[0]);
  if (!document.querySelector('meta[name=viewport]')) fault('no viewport');
  if (!document.querySelector('meta[http-equiv=Content-Security-Policy]')) fault('no content security policy');
  let level = 0;
  for (const h of document.querySelectorAll('h1,h2,h3,h4,h5,h6')) {
    const n = Number(h.localName[1]);
    if (n > level + 1) fault('a heading skips a level', h);
    level = n;
  }
  const ids = new Set();
  for (const el of document.querySelectorAll('[id]')) {
    if (ids.has(el.id)) fault('an id twice', el);
    ids.add(el.id);
  }
  for (const a of document.querySelectorAll('a[href^="#"]')) {
    if (!ids.has(decodeURIComponent(a.getAttribute('href').slice(1)))) fault('a link to nothing', a, a.getAttribute('href'));
  }
  for (const el of document.querySelectorAll('[aria-labelledby],[aria-describedby]')) {
    for (const id of (el.getAttribute('aria-labelledby') || el.getAttribute('aria-describedby')).split(/\s+/)) {
      if (!ids.has(id)) fault('a label that is not there', el, id);
    }
  }
  for (const table of document.querySelectorAll('table')) {
    if (!table.querySelector('th') && !/^(none|presentation)$/.test(table.getAttribute('role') || '')) fault('a table without headings', table);
  }
  if (root.scrollWidth > width) fault('the page is wider than its window', null, root.scrollWidth + ' of ' + width + ' px');

  // Colours. A colour is [red, green, blue, alpha], 0 to 1 each.
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext('2d', {willReadFrequently: true});
  const colours = new Map();
  const colour = (text) => {
    let c = colours.get(text);
    if (!c) {
      const m = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)$/.exec(text);
      if (m) {
        c = [m[1] / 255, m[2] / 255, m[3] / 255, m[4] === undefined ? 1 : Number(m[4])];
      } else {
        pen.clearRect(0, 0, 1, 1);
        pen.fillStyle = text;
        pen.fillRect(0, 0, 1, 1);
        c = [...pen.getImageData(0, 0, 1, 1).data].map((x) => x / 255);
      }
      colours.set(text, c);
    }
    return c;
  };
  const over = (top, below, opacity) => {
    const a = top[3] * opacity;
    return a === 0 ? below : a === 1 ? top : [0, 1, 2].map((i) => top[i] * a + below[i] * (1 - a)).concat(1);
  };
  // WCAG 2.2, relative luminance and contrast ratio.
  const luminance = (c) => {
    const [r, g, b] = c.map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const x = luminance(a), y = luminance(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const readable = (el, text, below, what) => {
    const ratio = contrast(text, below);
    if (ratio < 4.5) {
      const hex = (c) => '#' + c.slice(0, 3).map((x) => Math.round(x * 255).toString(16).padStart(2, '0')).join('');
      fault('too little contrast', el, what + ratio.toFixed(2) + ': ' + hex(text) + ' on ' + hex(below));
    }
  };

  const hasText = (el) => {
    for (const n of el.childNodes) if (n.nodeType === 3 && n.data.trim()) return true;
    return false;
  };

  // svg: all of it within its box, no two labels on each other, each of them readable
  // on what was painted before it.
  const picture = (svg, ground, opacity) => {
    if (svg.getAttribute('aria-hidden') !== 'true' && !(svg.getAttribute('aria-label') || svg.getAttribute('aria-labelledby') || svg.querySelector(':scope > title'))) {
      fault('a picture without a name', svg);
    }
    const box = svg.getBoundingClientRect();
    if (box.width === 0 && svg.querySelector(':scope > defs')) return; // what others use
    if (box.width === 0 || box.height === 0) {
      fault('a picture of no size', svg);
      return;
    }
    const shapes = [], labels = [];
    const within = (el, style, fade) => {
      if (style.display === 'none' || style.visibility === 'hidden') return;
      fade *= Number(style.opacity);
      if (/^(defs|title|desc|clipPath|pattern|marker|symbol|linearGradient|mask|style|metadata)$/.test(el.localName)) return;
      const r = el.getBoundingClientRect();
      if (el.localName !== 'svg' && el.localName !== 'g' && el.localName !== 'a') {
        if (r.left < box.left - 1 || r.right > box.right + 1 || r.top < box.top - 1 || r.bottom > box.bottom + 1) {
          fault('sticks out of its picture', el, [r.left - box.left, r.top - box.top, r.right - box.left, r.bottom - box.top].map(Math.round) + ' in ' + Math.round(box.width) + 'x' + Math.round(box.height));
        }
      }
      if (el.localName === 'text') {
        if (!el.textContent.trim()) return;
        labels.push([r, el]);
        const at = el.getScreenCTM();
        const size = parseFloat(style.fontSize) * Math.hypot(at.a, at.b);
        if (size < 9) fault('letters too small', el, size.toFixed(1) + ' px');
        for (const x of [r.left + 1, (r.left + r.right) / 2, r.right - 1]) {
          let below = ground;
          for (const [shape, s, f] of shapes) {
            const q = new DOMPoint(x, (r.top + r.bottom) / 2).matrixTransform(shape.getScreenCTM().inverse());
            if (shape.isPointInFill(q)) below = over(colour(s.fill), below, Number(s.fillOpacity) * f);
          }
          readable(el, over(colour(style.fill), below, fade), below, 'of a label ');
        }
        return;
      }
      if (el instanceof SVGGeometryElement && style.fill !== 'none') shapes.push([el, style, fade]);
      for (const child of el.children) within(child, getComputedStyle(child), fade);
    };
    for (const child of svg.children) within(child, getComputedStyle(child), opacity);
    labels.sort((a, b) => a[0].left - b[0].left);
    for (let i = 0; i < labels.length; i++) {
      const [r, el] = labels[i];
      for (let k = i + 1; k < labels.length && labels[k][0].left < r.right - 1; k++) {
        const o = labels[k][0];
        if (o.top < r.bottom - 2 && o.bottom > r.top + 2) fault('labels lie on each other', el, 'and ' + name(labels[k][1]));
      }
    }
  };

  // Which of ::before and ::after an element has, with text. Elements of one class below
  // the same classes are alike: to ask each would take longer than all the rest.
  const pseudos = new Map();
  const written = (el) => {
    let key = el.localName;
    for (let p = el, n = 0; p && n < 3; p = p.parentElement, n++) key += ' ' + (p.getAttribute('class') || p.localName);
    let list = pseudos.get(key);
    if (!list) {
      list = ['::before', '::after'].filter((pseudo) => {
        const p = getComputedStyle(el, pseudo);
        return /^"[^"]*[^"\s][^"]*"/.test(p.content) && p.display !== 'none';
      });
      pseudos.set(key, list);
    }
    return list;
  };

  // Each element that is shown. scrolls: it is within a box that scrolls by itself
  // to the side; ground: what is behind it.
  const range = document.createRange();
  const visit = (el, scrolls, ground, opacity) => {
    if (/^(script|style|template)$/.test(el.localName)) return;
    const style = getComputedStyle(el);
    if (style.display === 'none' || style.visibility === 'hidden') return;
    const r = el.getBoundingClientRect();
    opacity *= Number(style.opacity);
    if (!mode.print || style.printColorAdjust === 'exact') ground = over(colour(style.backgroundColor), ground, opacity);
    if (!scrolls && r.width > 0 && (r.right > width + 1 || r.left < -1)) {
      fault('sticks out of the window', el, Math.round(r.left) + ' to ' + Math.round(r.right) + ' of ' + width + ' px');
    }
    if (el.localName === 'svg') {
      picture(el, ground, opacity);
      return;
    }
    if (el.clientWidth === 1 && el.clientHeight === 1 && style.overflow === 'hidden') return; // for screen readers
    const inline = style.display === 'inline' || style.display === 'contents';
    let within = scrolls;
    if (!inline && el !== document.body) {
      const side = el.scrollWidth > el.clientWidth + 1, below = el.scrollHeight > el.clientHeight + 2;
      const scroll = /auto|scroll/.test(style.overflowX), clip = /hidden|clip/.test(style.overflowX);
      if (scroll || clip) within = true;
      if (side && mode.print && (scroll || clip)) fault('cut in print', el, el.scrollWidth + ' in ' + el.clientWidth + ' px');
      else if (side && clip && !(style.textOverflow === 'ellipsis' && el.title)) fault('cut off', el, el.scrollWidth + ' in ' + el.clientWidth + ' px');
      else if (side && !scroll && !clip && !/^table|ruby/.test(style.display)) fault('sticks out of its box', el, el.scrollWidth + ' in ' + el.clientWidth + ' px');
      if (below && /hidden|clip/.test(style.overflowY)) fault('cut off below', el, el.scrollHeight + ' in ' + el.clientHeight + ' px');
      if (below && mode.print && /auto|scroll/.test(style.overflowY)) fault('cut in print', el, el.scrollHeight + ' below ' + el.clientHeight + ' px');
    }
    if (hasText(el)) {
      if (parseFloat(style.fontSize) < 9) fault('letters too small', el, style.fontSize);
      readable(el, over(colour(style.color), ground, opacity), ground, '');
      for (const n of el.childNodes) {
        if (n.nodeType !== 3 || !n.data.trim()) continue;
        range.selectNodeContents(n);
        const t = range.getBoundingClientRect();
        if (!scrolls && !within && (t.right > width + 1 || t.left < -1)) fault('text sticks out of the window', el, Math.round(t.right) + ' of ' + width + ' px');
      }
    }
    for (const pseudo of written(el)) {
      const p = getComputedStyle(el, pseudo);
      const behind = !mode.print || p.printColorAdjust === 'exact' ? over(colour(p.backgroundColor), ground, opacity) : ground;
      readable(el, over(colour(p.color), behind, opacity), behind, 'of ' + pseudo + ' ');
    }
    const closed = el.localName === 'details' && !el.open;
    for (const child of el.children) {
      if (closed && child.localName !== 'summary') {
        // What is folded must be there on paper.
        if (!mode.print) continue;
        if (child.textContent.trim() && child.getClientRects().length === 0 || !child.checkVisibility({contentVisibilityAuto: false})) {
          fault('folded in print', child);
          continue;
        }
      }
      visit(child, within, ground, opacity);
    }
  };
  const canvasColour = !mode.print && matchMedia('(prefers-color-scheme: dark)').matches && /dark/.test(getComputedStyle(root).colorScheme) ? [0.07, 0.07, 0.07, 1] : [1, 1, 1, 1];
  const ground = mode.print ? canvasColour : over(colour(getComputedStyle(root).backgroundColor), canvasColour, 1);
  visit(document.body, false, ground, 1);
  if (!document.body.innerText.trim()) fault('an empty page');
  return [...faults].map(([kind, [count, some]]) => kind + ' (' + count + ')' + (some[0] ? ': ' + some.join('; ') : ''));
}
