// Drawing of points, names, grid and axes.

function draw() {
  const area = panel();
  const visible = countVisible(area);
  const radius = plot.size * Math.min(6.5, Math.max(1.2, 6.5 * (Math.max(visible, 1) / 50) ** -0.22));
  context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, size.width, size.height);
  const marks = axisTicks(area);
  if (widenMargin(marks.y)) return;
  drawGrid(area, marks);
  drawLinesBelow(area);
  let shown = [];
  if (visible > MOST_MARKERS) drawDensity(area, visible);
  else shown = drawMarkers(area, radius, visible);
  const ends = drawLinesAbove(area);
  const taken = drawAnnotations(area, ends);
  if (plot.label && plot.names && visible <= NAMED) drawNames(area, shown, radius, taken);
  drawAxes(area, marks);
  drawRing();
}

// Long numbers at the left need a wider margin; it never shrinks again, so the picture does not jitter.
function widenMargin(marks) {
  context.font = "15px " + theme.family;
  const needed = Math.ceil(Math.max(0, ...marks.map(({ label }) => context.measureText(label).width))) + 36;
  if (needed <= MARGIN.left) return false;
  MARGIN.left = needed;
  resize();
  return true;
}

function countVisible({ width, height }) {
  const [right, top] = [view.left + width * view.unitX, view.bottom + height * view.unitY];
  let visible = 0;
  for (let i = 0; i < n; i += 1) {
    const inside = xs[i] >= view.left && xs[i] <= right && ys[i] >= view.bottom && ys[i] <= top;
    if (inside && !hidden[lookOf[i]]) visible += 1;
  }
  return visible;
}

function drawMarkers(area, radius, visible) {
  const reach = radius * 1.5 + 1;
  const sprites = looks.map((look) => sprite(look, radius, visible));
  const shown = [];
  context.save();
  context.beginPath();
  context.rect(area.left, area.top, area.width, area.height);
  context.clip();
  for (let k = 0; k < n; k += 1) {
    const i = order[k];
    const px = (xs[i] - view.left) / view.unitX;
    const py = area.height - (ys[i] - view.bottom) / view.unitY;
    if (px < -reach || py < -reach || px > area.width + reach || py > area.height + reach || hidden[lookOf[i]]) continue;
    const image = sprites[lookOf[i]];
    context.drawImage(image, area.left + px - image.half, area.top + py - image.half, 2 * image.half, 2 * image.half);
    shown.push([i, area.left + px, area.top + py]);
  }
  context.restore();
  return shown;
}

// Each name stands right, left, above or below its point, where it touches no other name or point; else it waits for a
// closer view.
function drawNames(area, shown, radius, taken) {
  context.save();
  context.beginPath();
  context.rect(area.left, area.top, area.width, area.height);
  context.clip();
  context.font = "14px " + theme.family;
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.fillStyle = theme.ink;
  const points = shown.map(([i, x, y]) => ({ i, left: x - radius - 3, right: x + radius + 3, top: y - radius - 3, bottom: y + radius + 3 }));
  const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  for (const [i, x, y] of shown) {
    const width = context.measureText(plot.names[i]).width;
    const apart = radius + 12;
    const places = [[x + radius + 6, y], [x - radius - 6 - width, y], [x - width / 2, y - apart], [x - width / 2, y + apart]];
    for (const [left, middle] of places) {
      const box = { left, right: left + width, top: middle - 8, bottom: middle + 8 };
      const inside = box.left >= area.left && box.right <= area.left + area.width;
      if (!inside || taken.some((other) => meets(box, other)) || points.some((other) => other.i !== i && meets(box, other))) continue;
      context.fillText(plot.names[i], left, middle);
      taken.push(box);
      break;
    }
  }
  context.restore();
}

// Density: every point is spread over a few pixels; a pixel has the mean colour of its points, and its opacity grows with
// the logarithm of their number. A million points take a fraction of a second.
function drawDensity(area, visible) {
  const ratio = size.ratio;
  const [width, height] = [Math.round(area.width * ratio), Math.round(area.height * ratio)];
  const sums = new Float32Array(width * height * 4);
  const radius = plot.size * Math.min(1.6, Math.max(0.6, 1.6 * (visible / 30000) ** -0.25)) * ratio;
  const reach = Math.ceil(radius);
  for (let i = 0; i < n; i += 1) {
    const look = lookOf[i];
    const x = ((xs[i] - view.left) / view.unitX) * ratio;
    const y = height - ((ys[i] - view.bottom) / view.unitY) * ratio;
    if (hidden[look] || !(x >= 0 && y >= 0 && x < width && y < height)) continue;
    const rgb = looks[look].rgb;
    const [column, row] = [Math.floor(x), Math.floor(y)];
    for (let v = Math.max(0, row - reach); v <= Math.min(height - 1, row + reach); v += 1) {
      for (let u = Math.max(0, column - reach); u <= Math.min(width - 1, column + reach); u += 1) {
        const [dx, dy] = [u + 0.5 - x, v + 0.5 - y];
        const weight = Math.min(1, radius + 0.5 - Math.sqrt(dx * dx + dy * dy));
        if (weight <= 0) continue;
        const at = (v * width + u) * 4;
        sums[at] += rgb[0] * weight;
        sums[at + 1] += rgb[1] * weight;
        sums[at + 2] += rgb[2] * weight;
        sums[at + 3] += weight;
      }
    }
  }
  const image = document.createElement("canvas");
  [image.width, image.height] = [width, height];
  image.getContext("2d").putImageData(shade(sums, width, height), 0, 0);
  context.drawImage(image, area.left, area.top, area.width, area.height);
}

function shade(sums, width, height) {
  const block = new ImageData(width, height);
  const weights = [];
  // Every 7th pixel is enough to find how heavy the heaviest hundredth is.
  for (let at = 3; at < sums.length; at += 28) if (sums[at] >= 1) weights.push(sums[at]);
  weights.sort((a, b) => a - b);
  const full = Math.log1p(Math.max(3, weights[Math.floor(weights.length * 0.99)] ?? 3)) - Math.LN2;
  for (let at = 0; at < sums.length; at += 4) {
    const weight = sums[at + 3];
    if (weight === 0) continue;
    const crowd = Math.min(1, Math.max(0, Math.log1p(weight) - Math.LN2) / full);
    for (let channel = 0; channel < 3; channel += 1) block.data[at + channel] = sums[at + channel] / weight;
    block.data[at + 3] = 255 * Math.min(1, weight) * (0.4 + 0.6 * crowd);
  }
  return block;
}

function axisTicks(area) {
  const right = view.left + area.width * view.unitX;
  const top = view.bottom + area.height * view.unitY;
  const place = (range, low, unit, mark) => {
    // Share of a number in its range, by halves since the range may overflow.
    const share = (mark.value / 2 - range[0] / 2) / (range[1] / 2 - range[0] / 2);
    return { label: mark.label, at: (share - low) / unit };
  };
  const [rangeX, rangeY] = plot.ranges;
  const x = ticks(valueAt(rangeX, view.left), valueAt(rangeX, right), Math.max(2, Math.round(area.width / 100)));
  const named = plot.levels.map((label, value) => ({ label, value }));
  const insideY = ({ value }) => value >= valueAt(rangeY, view.bottom) && value <= valueAt(rangeY, top);
  const y = named.length ? named.filter(insideY) : ticks(valueAt(rangeY, view.bottom), valueAt(rangeY, top), Math.max(2, Math.round(area.height / 100)));
  return {
    x: x.map((mark) => place(rangeX, view.left, view.unitX, mark)),
    y: y.map((mark) => place(rangeY, view.bottom, view.unitY, mark)),
  };
}

function drawGrid(area, marks) {
  context.strokeStyle = theme.grid;
  context.lineWidth = 1;
  context.beginPath();
  for (const { at } of marks.x) {
    context.moveTo(Math.floor(area.left + at) + 0.5, area.top);
    context.lineTo(Math.floor(area.left + at) + 0.5, area.top + area.height);
  }
  for (const { at } of marks.y) {
    context.moveTo(area.left, Math.floor(area.top + area.height - at) + 0.5);
    context.lineTo(area.left + area.width, Math.floor(area.top + area.height - at) + 0.5);
  }
  context.stroke();
}

function drawAxes(area, marks) {
  const bottom = area.top + area.height;
  context.strokeStyle = theme.frame;
  context.strokeRect(area.left + 0.5, area.top + 0.5, area.width - 1, area.height - 1);
  context.fillStyle = theme.quiet;
  context.font = "15px " + theme.family;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  for (const { at, label } of marks.x) context.fillText(label, area.left + at, bottom + 20);
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const { at, label } of marks.y) context.fillText(label, area.left - 7, bottom - at);
  context.fillStyle = theme.ink;
  context.font = "16px " + theme.family;
  context.textAlign = "center";
  context.textBaseline = "alphabetic";
  context.fillText(plot.axes[0], area.left + area.width / 2, bottom + 44, area.width);
  context.translate(15, area.top + area.height / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(plot.axes[1], 0, 0, area.height);
  context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
}

function drawRing() {
  const pen = overlay.getContext("2d");
  pen.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
  pen.clearRect(0, 0, size.width, size.height);
  if (hovered < 0) return;
  const area = panel();
  const px = area.left + (xs[hovered] - view.left) / view.unitX;
  const py = area.top + area.height - (ys[hovered] - view.bottom) / view.unitY;
  if (px < area.left || px > area.left + area.width || py < area.top || py > area.top + area.height) return;
  pen.beginPath();
  pen.arc(px, py, 9, 0, 2 * Math.PI);
  pen.lineWidth = 2;
  pen.strokeStyle = theme.ink;
  pen.stroke();
}
