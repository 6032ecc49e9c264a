// Points in space: hover text, the filter by further coordinates, events; then the start of the page.

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
  [xs, ys, zs].forEach((shares, axis) => {
    lines.push(`${plot.axes[axis]}: ${shortNumber(valueAt(plot.ranges[axis], shares[i]), plot.ranges[axis])}`);
  });
  return { title: plot.names ? plot.names[i] : `row ${row}`, lines };
}

function hover(x, y) {
  let found = -1;
  let best = 14 * 14;
  for (let i = 0; i < n; i += 1) {
    const distance = (px[i] - x) ** 2 + (py[i] - y) ** 2;
    // Of points in one place the nearest to the viewer.
    if (distance > best || (found >= 0 && distance > best - 9 && depth[i] < depth[found]) || !isShown(i)) continue;
    [found, best] = [i, distance];
  }
  if (found !== hovered) {
    hovered = found;
    drawRing();
  }
  tooltip.hidden = found < 0;
  if (found < 0) return;
  const { title, lines } = describe(found);
  tooltip.replaceChildren(element("strong", "", title), ...lines.map((text) => element("span", "", text)));
  const box = tooltip.getBoundingClientRect();
  tooltip.style.left = `${Math.max(0, x + 16 + box.width > size.width ? x - 16 - box.width : x + 16)}px`;
  tooltip.style.top = `${Math.max(0, y + 16 + box.height > size.height ? y - 12 - box.height : y + 16)}px`;
}

// Further coordinates: which of them, from where to where, and whether it colours the points.
function buildFilter() {
  if (!further.length) return;
  const box = element("div", "filter", "");
  const choice = document.createElement("select");
  choice.setAttribute("aria-label", "further coordinate");
  choice.append(new Option("all points", -1), ...further.map(({ name }, i) => new Option(name, i)));
  const [low, high] = [0, 1].map((end) => {
    const slider = document.createElement("input");
    Object.assign(slider, { type: "range", min: 0, max: 1, step: 0.001, value: end, disabled: true });
    slider.setAttribute("aria-label", end ? "highest" : "lowest");
    return slider;
  });
  const colors = document.createElement("input");
  Object.assign(colors, { type: "checkbox", disabled: true });
  const coloring = document.createElement("label");
  coloring.append(colors, " colour by it");
  const shown = element("p", "", "");
  const refresh = () => {
    const axis = Number(choice.value);
    filter = { axis, low: Math.min(low.value, high.value), high: Math.max(low.value, high.value), colors: colors.checked };
    for (const input of [low, high, colors]) input.disabled = axis < 0;
    const number = (share) => shortNumber(valueAt(further[axis].range, share), further[axis].range);
    shown.textContent = axis < 0 ? "" : `from ${number(filter.low)} to ${number(filter.high)}`;
    redraw();
  };
  choice.addEventListener("change", () => { [low.value, high.value] = [0, 1]; refresh(); });
  for (const input of [low, high, colors]) input.addEventListener("input", refresh);
  box.append(element("h2", "", "further coordinates"), choice, low, high, shown, coloring);
  legend.hidden = false;
  legend.append(box);
}

function rebuild() {
  buildLegend();
  const old = legend.querySelector(".filter");
  if (old) old.remove();
  buildFilter();
}

function resize() {
  const box = canvas.getBoundingClientRect();
  size = { width: box.width, height: box.height, ratio: window.devicePixelRatio || 1 };
  for (const layer of [canvas, overlay]) {
    layer.width = Math.round(box.width * size.ratio);
    layer.height = Math.round(box.height * size.ratio);
  }
  draw();
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
    const zoom = Math.min(60, Math.max(0.3, view.zoom * Math.exp(-Math.max(-120, Math.min(120, pixels)) * 0.0022)));
    const [x, y] = place(event);
    const center = [size.width / 2, size.height / 2];
    // What lies under the cursor stays there.
    view.shift = view.shift.map((part, i) => [x, y][i] - center[i] - (([x, y][i] - center[i] - part) * zoom) / view.zoom);
    view.zoom = zoom;
    redraw();
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    drag = place(event);
    canvas.setPointerCapture(event.pointerId);
    canvas.classList.add("dragging");
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = place(event);
    if (!drag) return hover(x, y);
    if (event.shiftKey) view.shift = [view.shift[0] + x - drag[0], view.shift[1] + y - drag[1]];
    else {
      view.azimuth -= (x - drag[0]) * 0.4;
      view.elevation = Math.max(-90, Math.min(90, view.elevation + (y - drag[1]) * 0.4));
    }
    drag = [x, y];
    tooltip.hidden = true;
    hovered = -1;
    redraw();
  });
  const release = () => {
    drag = null;
    canvas.classList.remove("dragging");
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => hover(-1000, -1000));
  canvas.addEventListener("dblclick", () => { view = { ...HOME }; redraw(); });
  dark.addEventListener("change", () => { readTheme(); rebuild(); redraw(); });
  new ResizeObserver(resize).observe(canvas);
}

document.getElementById("title").textContent = plot.title;
document.getElementById("help").textContent = "drag to turn · scroll to zoom · shift-drag to move · double-click to reset";
notes.textContent = plot.notes;
canvas.setAttribute("aria-label", `${n} points in space: ${plot.title}`);
readTheme();
rebuild();
resize();
listen();
