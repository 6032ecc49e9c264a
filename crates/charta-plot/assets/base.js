"use strict";
// What the pages of points in a plane and in space share: the data, looks, theme, ticks and numbers.

const plot = JSON.parse(document.getElementById("data").textContent);
const xs = decode(plot.x, Float32Array);
const ys = decode(plot.y, Float32Array);
const rows = plot.rows ? decode(plot.rows, Uint32Array) : null;
const edges = decode(plot.edges, Uint32Array);
const n = xs.length;
const MISSING = 0xffffffff;
const SHADES = 64;
const EDGE_LIGHT = "#bec4cd";
const EDGE_DARK = "#474e59";

const canvas = document.getElementById("canvas");
const context = canvas.getContext("2d");
// The ring around the hovered point has its own layer: moving it must not draw a million points again.
const overlay = document.getElementById("overlay");
const tooltip = document.getElementById("tooltip");
const legend = document.getElementById("legend");
const notes = document.getElementById("notes");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

const lookOf = looksOfPoints();
const order = mixedOrder();
let looks = []; // colour and shape of each look; the last one is for missing values
let hidden = new Uint8Array(0); // one flag for each look
let theme = {};
let size = { width: 0, height: 0, ratio: 1 };
let hovered = -1;
let waiting = false;

function decode(text, Type) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Type(bytes.buffer);
}

function looksOfPoints() {
  const color = plot.color;
  if (color.kind === "classes") {
    const classes = decode(color.of, Uint32Array);
    return Uint32Array.from(classes, (c) => (c === MISSING ? color.names.length : c));
  }
  if (color.kind === "numbers") {
    const shares = decode(color.values, Float32Array);
    color.shares = shares;
    return Uint32Array.from(shares, (s) => (Number.isNaN(s) ? SHADES : Math.round(s * (SHADES - 1))));
  }
  return new Uint32Array(n);
}

function parseColor(hex) {
  return [1, 3, 5].map((start) => parseInt(hex.slice(start, start + 2), 16));
}

// Dark colours vanish on dark paper.
function fitted([r, g, b]) {
  const light = (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
  const share = theme.dark && light < 0.36 ? 0.45 : 0;
  return [r, g, b].map((channel) => Math.round(channel + (255 - channel) * share));
}

function interpolate(stops, share) {
  const place = share * (stops.length - 1);
  const below = Math.min(Math.floor(place), stops.length - 2);
  return stops[below].map((channel, i) => Math.round(channel + (stops[below + 1][i] - channel) * (place - below)));
}

function makeLooks() {
  const color = plot.color;
  const missing = { rgb: parseColor(plot.missing), shape: 0 };
  if (color.kind === "classes") {
    looks = color.names.map((name, i) => ({ rgb: fitted(parseColor(color.colors[i])), shape: color.shapes[i] }));
  } else if (color.kind === "numbers") {
    const stops = color.stops.map(parseColor);
    looks = Array.from({ length: SHADES }, (_, i) => ({ rgb: interpolate(stops, i / (SHADES - 1)), shape: 0 }));
  } else {
    looks = [{ rgb: fitted(parseColor(plot.plain)), shape: 0 }];
  }
  looks.push(missing);
  if (hidden.length !== looks.length) hidden = new Uint8Array(looks.length);
}

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  theme = { dark: dark.matches, family: getComputedStyle(document.body).fontFamily };
  for (const name of ["paper", "ink", "quiet", "frame", "grid"]) theme[name] = style.getPropertyValue("--" + name).trim();
  makeLooks();
}

// Rows are often sorted by class: golden-ratio steps keep the last class from covering the others.
function mixedOrder() {
  const divisor = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };
  let step = Math.max(1, Math.floor(n * 0.618034));
  while (n > 1 && divisor(step, n) !== 1) step += 1;
  const result = new Uint32Array(n);
  for (let i = 0, at = 0; i < n; i += 1, at = (at + step) % n) result[i] = at;
  return result;
}

// The number at a share of a range, kept within the numbers there are.
function valueAt(range, share) {
  const value = range[0] * (1 - share) + range[1] * share;
  return Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, value));
}

function ticks(low, high, wanted) {
  const ideal = (high / 2 - low / 2) / (wanted / 2);
  if (!(ideal > 0) || !Number.isFinite(ideal)) return [];
  let exponent = Math.floor(Math.log10(ideal));
  const leading = ideal / 10 ** exponent;
  let factor = leading < Math.SQRT2 ? 1 : leading < Math.sqrt(10) ? 2 : leading < Math.sqrt(50) ? 5 : 10;
  if (factor === 10) [factor, exponent] = [1, exponent + 1];
  const step = Number(`${factor}e${exponent}`);
  const top = Math.floor(Math.log10(Math.max(Math.abs(low), Math.abs(high))));
  const result = [];
  for (let k = Math.ceil(low / step); k <= Math.floor(high / step); k += 1) {
    const value = Number(`${k * factor}e${exponent}`);
    result.push({ value, label: tickLabel(value, exponent, top) });
  }
  return result;
}

function tickLabel(value, exponent, top) {
  if (value === 0) return "0";
  const plain = top <= 6 && exponent >= -5;
  if (!plain) {
    const digits = Math.max(0, Math.min(20, Math.floor(Math.log10(Math.abs(value)) + 1e-9) - exponent));
    return value.toExponential(digits).replace("e+", "e").replaceAll("-", "−");
  }
  const text = value.toFixed(Math.max(0, -exponent));
  const [whole, fraction] = text.replace("-", "").split(".");
  const grouped = whole.length >= 5 ? whole.replace(/\B(?=(\d{3})+$)/g, ",") : whole;
  return (value < 0 ? "−" : "") + grouped + (fraction ? "." + fraction : "");
}

// Six digits, but none that lie below the precision of a share of the range.
// The number or the date that colours a point, at a share of their range.
function colorValue({ range, dates }, share) {
  const value = valueAt(range, share);
  if (!dates) return shortNumber(value, range);
  const time = new Date(value * 1000);
  if (Number.isNaN(time.getTime())) return shortNumber(value, range);
  const text = time.toISOString().replace("T", " ");
  // Shares have seven digits: over years only days are certain.
  return range[1] - range[0] > 3e6 ? text.slice(0, 10) : text.slice(0, 16);
}

function shortNumber(value, range) {
  const decimals = 6 - Math.ceil(Math.log10(range[1] - range[0]));
  const known = decimals >= 0 && decimals <= 100 ? Number(value.toFixed(decimals)) : value;
  return String(Number(known.toPrecision(6))).replace("e+", "e").replaceAll("-", "−");
}

function redraw() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    draw();
  });
}

function outline(pen, shape, radius) {
  const corners = plot.shapes[shape];
  if (!corners.length) {
    pen.arc(0, 0, radius, 0, 2 * Math.PI);
    return;
  }
  corners.forEach(([x, y], i) => (i ? pen.lineTo(x * radius, y * radius) : pen.moveTo(x * radius, y * radius)));
  pen.closePath();
}

function sprite(look, radius, visible) {
  const half = radius * 1.5 + 1;
  const image = document.createElement("canvas");
  image.half = half;
  image.width = image.height = Math.ceil(2 * half * size.ratio);
  const pen = image.getContext("2d");
  pen.scale(image.width / (2 * half), image.height / (2 * half));
  pen.translate(half, half);
  pen.globalAlpha = visible > 1500 ? 0.75 : 0.92;
  pen.fillStyle = `rgb(${look.rgb})`;
  pen.beginPath();
  outline(pen, look.shape, radius);
  pen.fill();
  if (visible <= 1500) {
    pen.lineWidth = 0.9;
    pen.strokeStyle = theme.paper;
    pen.stroke();
  }
  return image;
}

