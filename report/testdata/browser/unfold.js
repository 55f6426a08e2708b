// Opens and closes what is folded by a click on its summary, at most 40 of them, and
// then opens all; returns what does not work.
() => {
  const faults = [];
  const all = [...document.querySelectorAll('details')];
  const step = Math.max(1, Math.floor(all.length / 40));
  for (let i = 0; i < all.length; i += step) {
    const d = all[i];
    const closed = [];
    for (let p = d.parentElement; p; p = p.parentElement) {
      if (p.localName === 'details' && !p.open) {
        p.open = true;
        closed.push(p);
      }
    }
    const summary = d.querySelector(':scope > summary');
    const before = d.open;
    if (!summary || !summary.textContent.trim()) {
      faults.push('details without a summary');
      continue;
    }
    const label = summary.textContent.trim().slice(0, 40);
    if (summary.getBoundingClientRect().height < 16) faults.push('a summary too low to be hit: ' + label);
    summary.click();
    if (d.open === before) faults.push('does not open or close: ' + label);
    d.open = true;
    if (d.getBoundingClientRect().height <= summary.getBoundingClientRect().height + 1) faults.push('nothing is folded: ' + label);
    d.open = before;
    for (const p of closed) p.open = false;
  }
  for (const d of all) d.open = true;
  return faults;
}
