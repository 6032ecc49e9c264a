// The legend: classes to hide and show, or a scale of numbers.

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
  const { title, range, stops, dates } = plot.color;
  const marks = dates
    ? dates.map(([share, label]) => ({ share, label }))
    : ticks(range[0], range[1], 6).map(({ value, label }) => ({ share: (value / 2 - range[0] / 2) / (range[1] / 2 - range[0] / 2), label }));
  const bar = element("div", "scale", "");
  bar.style.background = `linear-gradient(to top, ${stops.join(", ")})`;
  for (const mark of marks) {
    const label = element("span", "", mark.label);
    label.style.bottom = `${100 * mark.share}%`;
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

