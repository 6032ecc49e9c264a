// Hover text and events; then the start of the page.

function describe(i) {
  const row = rows ? rows[i] : i;
  const lines = [];
  const color = plot.color;
  if (plot.names) lines.push(`row ${row}`);
  if (color.kind === "classes") lines.push(color.names[lookOf[i]] ?? "missing");
  if (color.kind === "numbers") {
    const share = color.shares[i];
    lines.push(`${color.title}: ${Number.isNaN(share) ? "missing" : colorValue(color, share)}`);
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
