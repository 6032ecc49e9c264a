// Points in space: projection, the box of the axes, and drawing. Coordinates are shares of `plot.ranges`.

const zs = decode(plot.z, Float32Array);
const further = plot.further.map((one) => ({ ...one, shares: decode(one.values, Float32Array) }));
const HOME = { azimuth: plot.view[0], elevation: plot.view[1], zoom: 1, shift: [0, 0] };
let view = { ...HOME };
let filter = { axis: -1, low: 0, high: 1, colors: false };
let axes = null; // directions of the projection
const px = new Float32Array(n);
const py = new Float32Array(n);
const depth = new Float32Array(n);

function prepare() {
  const [a, e] = [view.azimuth, view.elevation].map((angle) => (angle * Math.PI) / 180);
  const [sa, ca, se, ce] = [Math.sin(a), Math.cos(a), Math.sin(e), Math.cos(e)];
  const radius = Math.hypot(...plot.sides);
  const scale = ((Math.min(size.width - 150, size.height - 110) / 2) * 1.12 * view.zoom) / radius;
  axes = { across: [-sa, ca, 0], up: [-ca * se, -sa * se, ce], toward: [ca * ce, sa * ce, se], scale: Math.max(scale, 1) };
}

const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const inside = (x, y, z) => [(2 * x - 1) * plot.sides[0], (2 * y - 1) * plot.sides[1], (2 * z - 1) * plot.sides[2]];

function project(point) {
  return [
    size.width / 2 + view.shift[0] + dot(axes.across, point) * axes.scale,
    size.height / 2 + view.shift[1] - dot(axes.up, point) * axes.scale,
  ];
}

function isShown(i) {
  const look = lookOf[i];
  if (hidden[look]) return false;
  if (filter.axis < 0) return true;
  const share = further[filter.axis].shares[i];
  return share >= filter.low - 1e-6 && share <= filter.high + 1e-6;
}

function draw() {
  context.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, size.width, size.height);
  prepare();
  for (let i = 0; i < n; i += 1) {
    const point = inside(xs[i], ys[i], zs[i]);
    [px[i], py[i]] = project(point);
    depth[i] = dot(axes.toward, point);
  }
  drawBox();
  drawEdges();
  for (const stroke of plot.strokes) if (stroke.below) drawStroke(stroke, 0);
  drawPoints();
  for (const stroke of plot.strokes) if (!stroke.below) drawStroke(stroke, 3);
  for (const stroke of plot.strokes) if (!stroke.below) drawStroke(stroke, 0);
  drawRing();
}

function drawEdges() {
  if (!edges.length) return;
  context.strokeStyle = theme.dark ? EDGE_DARK : EDGE_LIGHT;
  context.lineWidth = edges.length > 20000 ? 0.6 : 1;
  context.beginPath();
  for (let k = 0; k < edges.length; k += 2) {
    const [a, b] = [edges[k], edges[k + 1]];
    if (!isShown(a) || !isShown(b)) continue;
    context.moveTo(px[a], py[a]);
    context.lineTo(px[b], py[b]);
  }
  context.stroke();
}

// Points in buckets of depth, the farthest first: sorting a hundred thousand would be felt while turning.
function byDepth() {
  const BUCKETS = 2048;
  const reach = Math.hypot(...plot.sides);
  const bucket = (i) => Math.max(0, Math.min(BUCKETS - 1, Math.floor(((depth[i] / reach + 1) / 2) * BUCKETS)));
  const starts = new Uint32Array(BUCKETS + 1);
  for (let i = 0; i < n; i += 1) starts[bucket(i) + 1] += 1;
  for (let b = 0; b < BUCKETS; b += 1) starts[b + 1] += starts[b];
  const sorted = new Uint32Array(n);
  for (let i = 0; i < n; i += 1) sorted[starts[bucket(i)]++] = i;
  return sorted;
}

function drawPoints() {
  let visible = 0;
  for (let i = 0; i < n; i += 1) visible += isShown(i) ? 1 : 0;
  const radius = plot.size * Math.min(6.5, Math.max(1.2, 6.5 * (Math.max(visible, 1) / 50) ** -0.22)) * Math.min(2, Math.sqrt(view.zoom));
  const shades = filter.colors && filter.axis >= 0 ? shadeLooks() : null;
  const sprites = (shades ?? looks).map((look) => sprite(look, radius, visible));
  const reach = Math.hypot(...plot.sides);
  for (const i of byDepth()) {
    if (!isShown(i)) continue;
    const look = shades ? Math.round(Math.min(1, Math.max(0, further[filter.axis].shares[i])) * (SHADES - 1)) : lookOf[i];
    const image = sprites[look] ?? sprites[sprites.length - 1];
    // Far points fade, so that depth can be seen while nothing moves.
    context.globalAlpha = 0.4 + 0.6 * Math.min(1, Math.max(0, (depth[i] / reach + 0.8) / 1.6));
    context.drawImage(image, px[i] - image.half, py[i] - image.half, 2 * image.half, 2 * image.half);
    if (plot.label && plot.names && visible <= 250) {
      context.globalAlpha = 1;
      context.font = "13px " + theme.family;
      context.textAlign = "left";
      context.textBaseline = "middle";
      context.fillStyle = theme.ink;
      context.fillText(plot.names[i], px[i] + radius + 4, py[i]);
    }
  }
  context.globalAlpha = 1;
}

function shadeLooks() {
  const stops = plot.stops.map(parseColor);
  return Array.from({ length: SHADES }, (_, i) => ({ rgb: interpolate(stops, i / (SHADES - 1)), shape: 0 }));
}

function drawStroke({ places, color, width, dashed, name }, grown) {
  context.beginPath();
  let at = null;
  for (let k = 0; k < places.length; k += 3) {
    at = project(inside(places[k], places[k + 1], places[k + 2]));
    if (k) context.lineTo(...at);
    else context.moveTo(...at);
  }
  context.lineJoin = context.lineCap = "round";
  context.setLineDash(dashed && !grown ? [4 * width, 3 * width] : []);
  context.lineWidth = width + grown;
  context.strokeStyle = grown ? theme.paper : `rgb(${fitted(parseColor(color))})`;
  context.stroke();
  context.setLineDash([]);
  if (name && at && !grown) label(name, at[0] + 7, at[1], "left");
}

function label(text, x, y, align, color) {
  context.font = "14px " + theme.family;
  context.textAlign = align;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  context.lineWidth = 4;
  context.strokeStyle = theme.paper;
  context.strokeText(text, x, y);
  context.fillStyle = color ?? theme.ink;
  context.fillText(text, x, y);
}

function line(from, to) {
  context.moveTo(...project(from));
  context.lineTo(...project(to));
}

const moved = (point, axis, value) => point.map((part, i) => (i === axis ? value : part));

// The three back sides with their grid, then ticks and titles along the front edges.
function drawBox() {
  const sign = axes.toward.map((part) => (part < 0 ? -1 : 1));
  const back = plot.sides.map((side, i) => -sign[i] * side);
  const front = plot.sides.map((side, i) => sign[i] * side);
  const marks = plot.ranges.map(([low, high], axis) => {
    const wanted = Math.max(2, Math.round(6 * plot.sides[axis]));
    return ticks(low, high, wanted).map(({ value, label }) => {
      const share = (value / 2 - low / 2) / (high / 2 - low / 2);
      return { label, at: (2 * share - 1) * plot.sides[axis] };
    });
  });
  context.lineWidth = 1;
  context.strokeStyle = theme.grid;
  context.beginPath();
  marks.forEach((list, axis) => {
    for (const { at } of list) {
      const from = moved(back, axis, at);
      for (const other of [(axis + 1) % 3, (axis + 2) % 3]) line(from, moved(from, other, front[other]));
    }
  });
  context.stroke();
  context.strokeStyle = theme.frame;
  context.beginPath();
  for (let axis = 0; axis < 3; axis += 1) {
    const from = moved(back, axis, front[axis]);
    line(back, from);
    for (const other of [(axis + 1) % 3, (axis + 2) % 3]) line(from, moved(from, other, front[other]));
  }
  context.stroke();
  const middle = project([0, 0, 0]);
  for (let axis = 0; axis < 3; axis += 1) drawAxis(axis, marks[axis], { back, front, middle });
}

function drawAxis(axis, list, { back, front, middle }) {
  let start = [...front];
  if (axis < 2) start[2] = -plot.sides[2];
  else {
    const sides = [[back[0], front[1], front[2]], [front[0], back[1], front[2]]];
    start = dot(axes.across, sides[0]) < dot(axes.across, sides[1]) ? sides[0] : sides[1];
  }
  const ends = [project(moved(start, axis, -plot.sides[axis])), project(moved(start, axis, plot.sides[axis]))];
  const along = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
  const length = Math.hypot(...along);
  // An axis that points at the viewer has no room for numbers.
  if (length < 40) return;
  const half = [(ends[0][0] + ends[1][0]) / 2, (ends[0][1] + ends[1][1]) / 2];
  let out = [-along[1] / length, along[0] / length];
  if (out[0] * (half[0] - middle[0]) + out[1] * (half[1] - middle[1]) < 0) out = out.map((part) => -part);
  const align = out[0] > 0.35 ? "left" : out[0] < -0.35 ? "right" : "center";
  let widest = 0;
  context.font = "14px " + theme.family;
  const step = Math.ceil((list.length * 22) / length);
  list.forEach(({ label: text, at }, k) => {
    if (k % step) return;
    const [x, y] = project(moved(start, axis, at));
    widest = Math.max(widest, context.measureText(text).width);
    label(text, x + out[0] * 11, y + out[1] * 14, align, theme.quiet);
  });
  const away = 30 + 14 * Math.abs(out[1]) + widest * Math.abs(out[0]);
  label(plot.axes[axis], half[0] + out[0] * away, half[1] + out[1] * away, align);
}

function drawRing() {
  const pen = overlay.getContext("2d");
  pen.setTransform(size.ratio, 0, 0, size.ratio, 0, 0);
  pen.clearRect(0, 0, size.width, size.height);
  if (hovered < 0) return;
  pen.beginPath();
  pen.arc(px[hovered], py[hovered], 9, 0, 2 * Math.PI);
  pen.lineWidth = 2;
  pen.strokeStyle = theme.ink;
  pen.stroke();
}

