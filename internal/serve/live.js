// The page of gitdd serve: it asks for what has changed, and puts it in.
"use strict";
let version = 0;
let shown = 0;      // the trial whose output is shown; 0 = none
let kind = "out";
const byID = (id) => document.getElementById(id);

// The details that a part has, by their summaries: what was opened or closed by hand stays so.
const byHand = new Map();
const keyOf = (details) => details.closest("[id^=part-]").id + "\n" + details.querySelector("summary").textContent;
document.addEventListener("click", (event) => {
  const summary = event.target.closest("summary");
  if (summary) byHand.set(keyOf(summary.parentElement), !summary.parentElement.open);
  const button = event.target.closest("button");
  if (button && button.dataset.trial) {
    shown = Number(button.dataset.trial);
    showOutput();
  } else if (button && "kind" in button.dataset) {
    kind = button.dataset.kind || kind;
    if (!button.dataset.kind) shown = 0;
    showOutput();
  } else if (button && button.dataset.do) {
    act(button);
  }
});

// The buttons of gitdd serve --control. Each says of which moment it is: the server does nothing for a page that is behind.
const secret = document.querySelector("meta[name=gitdd-control]")?.content;
const soon = 600;   // milliseconds in which a second click of a double click comes
let acting = false;
let changed = 0;    // when the moment became another one
const say = (text, wrong) => {
  byID("said").textContent = text;
  byID("said").classList.toggle("warning", Boolean(wrong));
};

async function act(button) {
  const control = button.closest(".control");
  if (acting) return;
  if (performance.now() - changed < soon) {
    say("That was too soon: the page has just become another one. Nothing was done.", true);
    return;
  }
  acting = true;
  for (const one of control.querySelectorAll("button")) one.setAttribute("aria-disabled", "true");
  say("gitdd is at work …");
  const value = (name) => control.querySelector("[name=" + name + "]")?.value.trim() ?? "";
  try {
    const answer = await fetch("act", {
      method: "POST",
      headers: {"Content-Type": "application/json", "Gitdd-Control": secret},
      body: JSON.stringify({do: button.dataset.do, after: Number(control.dataset.after), note: value("note"), trials: Number(value("trials")), time: value("time")}),
    });
    const text = (await answer.text()).trim();
    say(text, !answer.ok);
    if (answer.ok) for (const input of control.querySelectorAll("input")) input.value = "";
  } catch {
    say("gitdd serve does not answer, so it is not known whether that was done.", true);
  }
  acting = false;
  for (const one of document.querySelectorAll(".control button")) one.removeAttribute("aria-disabled");
}

// A part with buttons keeps the focus, and what was typed, as long as it is about the same moment.
function putControl(place, part) {
  const before = place.querySelector(".control");
  const focus = place.contains(document.activeElement) ? document.activeElement : null;
  const name = focus && (focus.dataset.do ? "button[data-do='" + focus.dataset.do + "']" : "[name='" + focus.name + "']");
  const typed = [...place.querySelectorAll("input")];
  place.innerHTML = part.html;
  const after = place.querySelector(".control");
  const same = before?.dataset.after === after?.dataset.after;
  if (!same) changed = performance.now();
  for (const input of same ? typed : []) {
    const again = place.querySelector("[name='" + input.name + "']");
    if (again) again.value = input.value;
  }
  if (focus) (place.querySelector(name) ?? place.querySelector("button"))?.focus();
  if (acting) for (const one of place.querySelectorAll("button")) one.setAttribute("aria-disabled", "true");
  if (before?.dataset.told !== after?.dataset.told && byID("told")) byID("told").textContent = after?.dataset.told ?? "";
}

function put(part) {
  const place = byID("part-" + part.id);
  if (!place) return;
  if (part.id === "control") {
    putControl(place, part);
    return;
  }
  const focused = place.contains(document.activeElement) ? document.activeElement.dataset.trial : null;
  place.innerHTML = part.html;
  for (const details of place.querySelectorAll("details")) {
    const open = byHand.get(keyOf(details));
    if (open !== undefined) details.open = open;
  }
  if (focused) place.querySelector("button[data-trial='" + focused + "']")?.focus();
}

// A part in which text is selected stays until it is not.
const waiting = new Map();
function putAll() {
  const selection = getSelection();
  for (const part of [...waiting.values()]) {
    const place = byID("part-" + part.id);
    if (!selection.isCollapsed && place && selection.containsNode(place, true)) continue;
    waiting.delete(part.id);
    put(part);
  }
}

function lost(text) {
  byID("lost").hidden = !text;
  byID("lost").textContent = text;
}

async function showOutput() {
  byID("output").hidden = !shown;
  if (!shown) return;
  const trial = shown;
  byID("output-title").textContent = "What trial " + trial + " printed, " + kind;
  try {
    const answer = await fetch("output?trial=" + trial + "&kind=" + kind);
    const text = await answer.text();
    if (trial !== shown) return;
    byID("output-size").textContent = answer.ok ? answer.headers.get("Gitdd-Size") : text;
    byID("output-text").textContent = answer.ok ? text : "";
  } catch { /* follow says it */ }
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function follow() {
  for (;;) {
    try {
      const answer = await fetch("parts?since=" + version);
      if (!answer.ok) throw new Error(await answer.text());
      const news = await answer.json();
      version = news.version;
      for (const part of news.parts) waiting.set(part.id, part);
      putAll();
      showOutput();
      lost("");
      await pause(news.parts.length ? 200 : 0);
    } catch (error) {
      lost(error instanceof TypeError ? "gitdd serve does not answer any more: what is here is what it has said last." : error.message);
      await pause(2000);
    }
  }
}

setInterval(putAll, 1000);
follow();
