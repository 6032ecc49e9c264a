// The page of one scatter plot. Coordinates are shares (0 … 1) of the ranges in `plot.ranges`, so that 32-bit floats are
// precise enough for any scale; the view is a window on these shares.

const MARGIN = { left: 78, right: 12, top: 8, bottom: 64 };
const MOST_MARKERS = 30000; // more visible points than this are drawn as density
const NAMED = 250; // names are drawn while no more points than this are visible

const index = buildIndex();
let view = null; // left and bottom as shares, shares for each pixel
let home = null;

// A grid over all points, each cell a slice of one sorted list: hovering looks only at the cells near the cursor.
function buildIndex() {
  const side = Math.min(1024, Math.max(1, Math.ceil(Math.sqrt(n / 2))));
  const clamp = (share) => Math.min(side - 1, Math.max(0, Math.floor(share * side)));
  const starts = new Uint32Array(side * side + 1);
  const cell = (i) => clamp(ys[i]) * side + clamp(xs[i]);
  for (let i = 0; i < n; i += 1) starts[cell(i) + 1] += 1;
  for (let c = 0; c < side * side; c += 1) starts[c + 1] += starts[c];
  const next = starts.slice();
  const points = new Uint32Array(n);
  for (let i = 0; i < n; i += 1) points[next[cell(i)]++] = i;
  return { side, clamp, starts, points };
}

function nearest(px, py, reach) {
  const [x, y] = shareAt(px, py);
  const { side, clamp, starts, points } = index;
  const [rx, ry] = [reach * view.unitX, reach * view.unitY];
  let best = -1;
  let bestDistance = reach * reach;
  for (let row = clamp(y - ry); row <= clamp(y + ry); row += 1) {
    for (let c = row * side + clamp(x - rx); c <= row * side + clamp(x + rx); c += 1) {
      for (let k = starts[c]; k < starts[c + 1]; k += 1) {
        const i = points[k];
        if (hidden[lookOf[i]]) continue;
        const dx = (xs[i] - x) / view.unitX;
        const dy = (ys[i] - y) / view.unitY;
        const distance = dx * dx + dy * dy;
        if (distance < bestDistance) [best, bestDistance] = [i, distance];
      }
    }
  }
  return best;
}

function panel() {
  const width = Math.max(40, size.width - MARGIN.left - MARGIN.right);
  const height = Math.max(40, size.height - MARGIN.top - MARGIN.bottom);
  return { left: MARGIN.left, top: MARGIN.top, width, height };
}

function wholeView() {
  const { width, height } = panel();
  let [unitX, unitY] = [1 / width, 1 / height];
  if (plot.aspect > 0) {
    // aspect = range of x / range of y: one pixel must mean the same length on both axes.
    if (unitX * plot.aspect > unitY) unitY = unitX * plot.aspect;
    else unitX = unitY / plot.aspect;
  }
  return { left: 0.5 - (unitX * width) / 2, bottom: 0.5 - (unitY * height) / 2, unitX, unitY };
}

function shareAt(px, py) {
  const { left, top, height } = panel();
  return [view.left + (px - left) * view.unitX, view.bottom + (top + height - py) * view.unitY];
}

function zoom(px, py, factor) {
  const scale = Math.min(Math.max((view.unitX * factor) / home.unitX, 1e-5), 20) * (home.unitX / view.unitX);
  const [x, y] = shareAt(px, py);
  view.left = x - (x - view.left) * scale;
  view.bottom = y - (y - view.bottom) * scale;
  view.unitX *= scale;
  view.unitY *= scale;
  redraw();
}

function resize() {
  const box = canvas.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  const middle = view && shareAt(MARGIN.left + panel().width / 2, MARGIN.top + panel().height / 2);
  const scale = view && view.unitX / home.unitX;
  size = { width: box.width, height: box.height, ratio };
  for (const layer of [canvas, overlay]) {
    layer.width = Math.round(box.width * ratio);
    layer.height = Math.round(box.height * ratio);
  }
  home = wholeView();
  if (!view) {
    view = { ...home };
  } else {
    const [unitX, unitY] = [home.unitX * scale, home.unitY * scale];
    view = { unitX, unitY, left: middle[0] - (unitX * panel().width) / 2, bottom: middle[1] - (unitY * panel().height) / 2 };
  }
  // At once: setting the size has wiped the canvas.
  draw();
}

