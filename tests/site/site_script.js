'use strict';
// The site's scripts for tests without a page, and the program's answers to compare them with.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const root = path.resolve(__dirname, '../..');
const assets = path.join(root, 'engine/report/site_assets');
for (const name of ['log_lines.js', 'log_matcher.js', 'log_cause.js', 'search_engine.js'])
  require(path.join(assets, name));

// The program `match_texts`, with texts as strings of bytes.
function matchTexts(program, mode, texts = [], dataset = path.join(root, 'dataset')) {
  const input = Buffer.from(texts.map((text) => `${text}\0`).join(''), 'latin1');
  const done = spawnSync(program, mode === 'search' ? [mode] : [mode, dataset],
    { input, maxBuffer: 1 << 30 });
  if (done.status !== 0) throw new Error(`${program} ${mode}: ${done.status} ${done.stderr}`);
  return done.stdout.toString('utf8');
}

// What a data file registers.
function readData(script) {
  let data = null;
  globalThis.assay.register = (name, value) => { data = value; };
  new Function(script)();
  return data;
}

// All records of the dataset.
function readRecords(dataset = path.join(root, 'dataset')) {
  return fs.readdirSync(dataset, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'schema')
    .flatMap(({ name }) => fs.readdirSync(path.join(dataset, name)).sort()
      .map((file) => ({ project: name,
        ...JSON.parse(fs.readFileSync(path.join(dataset, name, file), 'utf8')) })));
}

// Numbers that are the same in each run.
function makeRandom(seed) {
  let state = seed >>> 0;
  const below = (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 8) % limit;
  };
  return { below, oneOf: (list) => list[below(list.length)] };
}

module.exports = { root, assets, matchTexts, readData, readRecords, makeRandom };
