// Hover text, legend and events; then the start of the page.

function describe(i) {
  const row = rows ? rows[i] : i;
  const lines = [];
  const color = plot.color;
  if (plot.names) lines.push(`row ${row}`);
  if (color.kind === "classes") lines.push(color.names[lookOf[i]] ?? "missing");
  if (color.kind === "numbers") {
    const share = color.shares[i];
    lines.push(`${color.title}: ${Number.isNaN(share) ? "missing" : shortNumber(valueAt(color.range, share), color.range)}`);
  }
  lines.push(`${plot.axes[0]}: ${shortNumber(valueAt(plot.ranges[0], xs[i]), plot.ranges[0])}`);
  // Where levels have names, the place within one means nothing.
  if (!plot.levels.length) lines.push(`${plot.axes[1]}: ${shortNumber(valueAt(plot.ranges[1], ys[i]), plot.ranges[1])}`);
  return { title: plot.names ? plot.names[i] : `row ${row}`, lines };
}

function hover(px, py) {
  const { left, top, width, height } = panel();
  const inside = px >= left && px <= left + width && py >= top && py <= top + height;
  const found = inside && n ? nearest(px, py, 14) : -1;
  if (found !== hovered) {
    hovered = found;
    drawRing();
  }
  tooltip.hidden = found < 0;
  if (found < 0) return;
  const { title, lines } = describe(found);
  const strong = document.createElement("strong");
  strong.textContent = title;
  const spans = lines.map((line) => {
    const span = document.createElement("span");
    span.textContent = line;
    return span;
  });
  tooltip.replaceChildren(strong, ...spans);
  const box = tooltip.getBoundingClientRect();
  const x = px + 16 + box.width > size.width ? px - 16 - box.width : px + 16;
  const y = py + 16 + box.height > size.height ? py - 12 - box.height : py + 16;
  tooltip.style.left = `${Math.max(0, x)}px`;
  tooltip.style.top = `${Math.max(0, y)}px`;
}

function swatch(look) {
  const [radius, half] = [6, 9];
  const corners = plot.shapes[look.shape];
  const color = `rgb(${look.rgb})`;
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", `${-half} ${-half} ${2 * half} ${2 * half}`);
  picture.setAttribute("width", 2 * half);
  picture.setAttribute("height", 2 * half);
  const mark = document.createElementNS(space, corners.length ? "polygon" : "circle");
  if (corners.length) mark.setAttribute("points", corners.map(([x, y]) => `${x * radius},${y * radius}`).join(" "));
  else mark.setAttribute("r", radius);
  mark.setAttribute("fill", color);
  picture.append(mark);
  return picture;
}

function element(tag, className, text) {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}

function buildLegend() {
  if (plot.color.kind === "none") return;
  legend.hidden = false;
  legend.replaceChildren(...(plot.color.kind === "classes" ? classEntries() : numberScale()));
}

function classEntries() {
  const counts = new Uint32Array(looks.length);
  for (let i = 0; i < n; i += 1) counts[lookOf[i]] += 1;
  const present = looks.map((_, look) => look).filter((look) => counts[look] > 0);
  const refresh = () => {
    buttons.forEach((button, k) => button.setAttribute("aria-pressed", String(!hidden[present[k]])));
    if (hovered >= 0 && hidden[lookOf[hovered]]) [hovered, tooltip.hidden] = [-1, true];
    redraw();
  };
  const buttons = present.map((look) => {
    const name = plot.color.names[look] ?? "missing";
    const button = document.createElement("button");
    button.type = "button";
    button.title = "click to hide or show, double-click to show only this";
    button.setAttribute("aria-pressed", String(!hidden[look]));
    button.append(swatch(looks[look]), element("span", "name", name), element("span", "count", counts[look].toLocaleString("en")));
    button.addEventListener("click", () => { hidden[look] = 1 - hidden[look]; refresh(); });
    button.addEventListener("dblclick", () => { hidden.fill(1); hidden[look] = 0; refresh(); });
    return button;
  });
  const all = element("button", "all", "show all");
  all.type = "button";
  all.addEventListener("click", () => { hidden.fill(0); refresh(); });
  return [...(plot.color.title ? [element("h2", "", plot.color.title)] : []), ...buttons, all];
}

function numberScale() {
  const { title, range, stops } = plot.color;
  const bar = element("div", "scale", "");
  bar.style.background = `linear-gradient(to top, ${stops.join(", ")})`;
  for (const mark of ticks(range[0], range[1], 6)) {
    const label = element("span", "", mark.label);
    label.style.bottom = `${100 * ((mark.value / 2 - range[0] / 2) / (range[1] / 2 - range[0] / 2))}%`;
    bar.append(label);
  }
  const parts = [element("h2", "", title), bar];
  if (lookOf.includes(SHADES)) {
    const missing = element("div", "missing", "");
    missing.append(swatch(looks[SHADES]), "missing");
    parts.push(missing);
  }
  return parts;
}

function listen() {
  let drag = null;
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const pixels = event.deltaMode === 1 ? event.deltaY * 33 : event.deltaY;
    zoom(...place(event), Math.exp(Math.max(-120, Math.min(120, pixels)) * 0.0022));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    drag = place(event);
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("dragging");
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (!drag) return hover(x, y);
    view.left -= (x - drag[0]) * view.unitX;
    view.bottom += (y - drag[1]) * view.unitY;
    drag = [x, y];
    tooltip.hidden = true;
    redraw();
  });
  const release = () => {
    drag = null;
    canvas.classList.remove("dragging");
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => hover(-1, -1));
  canvas.addEventListener("dblclick", () => { view = { ...home }; redraw(); });
  dark.addEventListener("change", () => { readTheme(); buildLegend(); redraw(); });
  new ResizeObserver(resize).observe(canvas);
}

document.getElementById("title").textContent = plot.title;
notes.textContent = plot.notes;
canvas.setAttribute("aria-label", `scatter plot of ${n} points: ${plot.title}`);
readTheme();
buildLegend();
resize();
listen();
