'use strict';
// How large and how quick the site's search and its log page are: writes a dataset of so many records
// (the shipped ones with other words in them), has the program make the site, and runs the site's own
// script on its data.
//
//   node tools/bench/site_bench.js build/release/tools/assay [records=10000] [log megabytes=1]
//
// Times are CPU times, but for that of the program.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const zlib = require('node:zlib');
const { root, readData, readRecords, makeRandom } = require('../../tests/site/site_script.js');

const [program, wanted = '10000', megabytes = '1'] = process.argv.slice(2);
const random = makeRandom(1);
const shipped = readRecords();

const syllables = 'ka ro mi ten sor ba che dim lux pa vor ne st ing al er on qui zo gra'.split(' ');
const freshWord = (word) => word.slice(0, 2) + random.oneOf(syllables) + random.oneOf(syllables);

// `record` with about a third of the words of its message exchanged, consistently.
function variantOf({ project, ...record }, i) {
  const words = new Map();
  const exchange = (text) => text.replace(/[a-z]{4,}/g, (word) => {
    if (!words.has(word)) words.set(word, random.below(3) === 0 ? freshWord(word) : word);
    return words.get(word);
  });
  // Not what stands behind a backslash: it is part of an escape.
  const exchangePattern = (text) => text.split(/(\\.)/).map((part) => (part[0] === '\\' ? part : exchange(part))).join('');
  const slug = `${record.slug.slice(0, 80)}-${i}`;
  return { ...record, id: i.toString(16).padStart(16, '0'), slug, errorMessage: exchange(record.errorMessage),
    messagePattern: exchangePattern(record.messagePattern), examples: [], nearMisses: [], seeAlso: [], replacedBy: null,
    status: 'active' };
}

function writeSite(folder, count) {
  for (let i = 0; i < count; ++i) {
    const source = shipped[i % shipped.length];
    const record = variantOf(source, i);
    const place = path.join(folder, 'dataset', source.project);
    fs.mkdirSync(place, { recursive: true });
    fs.writeFileSync(path.join(place, `${record.slug}.json`), JSON.stringify(record));
  }
  fs.cpSync(path.join(root, 'tests/cli/knowledge/rules'), path.join(folder, 'rules'), { recursive: true });
  const site = path.join(folder, 'site');
  const begun = performance.now();
  const done = spawnSync(program, ['docs', '--knowledge', folder, '--out', site], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stderr);
  console.log(`${done.stdout.trim()} in ${((performance.now() - begun) / 1000).toFixed(2)} s`);
  return site;
}

// CPU time of this process: on a busy machine it tells more than the clock.
function timed(work) {
  const begun = process.cpuUsage();
  const value = work();
  const { user, system } = process.cpuUsage(begun);
  return { value, ms: (user + system) / 1000 };
}

function sizeOf(file) {
  const bytes = fs.readFileSync(file);
  return `${(bytes.length / 1e6).toFixed(2)} MB, ${(zlib.gzipSync(bytes).length / 1e6).toFixed(2)} MB gzip`;
}

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

// What people type: the beginning of words, whole words, with and without a slip, and messages.
function queriesFor(entries) {
  const queries = [];
  for (let i = 0; i < 1000; ++i) {
    const words = random.oneOf(entries).title.split(/\s+/).filter((word) => word.length > 2);
    if (words.length === 0) continue;
    const word = random.oneOf(words);
    const at = 1 + random.below(word.length - 1);
    queries.push(word, word.slice(0, at), word.slice(0, at - 1) + word.slice(at), words.slice(0, 3).join(' '),
      `${words.join(' ')} on rank ${i}`);
  }
  return queries;
}

function measureSearch(site) {
  const file = path.join(site, 'search-index.js');
  console.log(`search-index.js: ${sizeOf(file)}`);
  const read = timed(() => assay.searching.readSearchIndex(readData(fs.readFileSync(file, 'utf8'))));
  const made = timed(() => new assay.SearchIndex(read.value));
  console.log(`${read.value.length} entries read in ${read.ms.toFixed(0)} ms, dictionary of ${made.value.words.length} words in ${made.ms.toFixed(0)} ms`);
  const queries = queriesFor(read.value);
  const first = timed(() => made.value.search('atention bakend'));
  const times = queries.map((query) => timed(() => made.value.search(query)).ms).sort((a, b) => a - b);
  console.log(`${queries.length} queries: median ${percentile(times, 0.5).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms, ` +
    `slowest ${times[times.length - 1].toFixed(1)} ms; the very first ${first.ms.toFixed(1)} ms`);
}

function makeLog(bytes) {
  const examples = shipped.flatMap((record) => (record.examples || []).map((example) => example.message));
  const lines = [];
  for (let size = 0; size < bytes;) {
    const rank = random.below(8);
    const clock = `2026-01-02 03:04:${String(random.below(60)).padStart(2, '0')}`;
    const line = random.below(100) === 0 ? `[${clock} TP${rank}] ${random.oneOf(examples)}`
      : `\x1b[32m[${clock} TP${rank}]\x1b[0m Decode batch, #running-req: ${random.below(64)}, #token: ${random.below(1e5)}, ` +
        `token usage: 0.${random.below(99)}, cuda graph: True, gen throughput (token/s): ${random.below(4000)}`;
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join('\n');
}

function measureLog(site) {
  const file = path.join(site, 'log-patterns.js');
  console.log(`log-patterns.js: ${sizeOf(file)}`);
  const data = readData(fs.readFileSync(file, 'utf8'));
  const made = timed(() => new assay.LogMatcher(data));
  console.log(`${data.length} patterns made ready in ${made.ms.toFixed(0)} ms`);
  const log = assay.logLines.toBytes(makeLog(Number(megabytes) * 1e6));
  for (const run of ['first', 'second', 'third']) {
    const { value, ms } = timed(() => made.value.find(log));
    console.log(`${run} run over ${(log.length / 1e6).toFixed(2)} MB: ${value.length} matches in ${ms.toFixed(0)} ms`);
  }
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-site-bench-'));
try {
  const site = writeSite(folder, Number(wanted));
  measureSearch(site);
  measureLog(site);
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
