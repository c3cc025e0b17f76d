'use strict';
// The browser's matcher against the program's, on every example and near miss of the shipped dataset:
// the same records, on the same lines, with the same captures.
const assert = require('node:assert');
const test = require('node:test');
const { matchTexts, readData, readRecords, makeRandom } = require('./site_script.js');

const program = process.argv[2];
const { toBytes, cleanText } = assay.logLines;
const patterns = readData(matchTexts(program, 'patterns'));
const matcher = new assay.LogMatcher(patterns);
const records = readRecords();
const examples = records.flatMap((record) =>
  (record.examples || []).map((example) => ({ record, text: toBytes(example.message) })));
const nearMisses = records.flatMap((record) =>
  (record.nearMisses || []).map((message) => ({ record, text: toBytes(message) })));

const isOf = (record) => ({ entry }) =>
  entry.path === `errors/${record.repo.split('/').pop().toLowerCase()}/${record.slug.slice(0, 100)}`;
const rowsOf = (found) => found.map(({ entry, line, matched, captures }) =>
  [entry.path, line, matched, ...captures.map((capture) => capture ?? null)]);

// `meaningOf`: of what the program quotes, where that is not what the script has.
function assertSame(texts, meaningOf = (value) => value) {
  const clean = (row) => row.map((value, i) => (i > 1 && value !== null ? meaningOf(value) : value));
  const expected = JSON.parse(matchTexts(program, 'find', texts));
  assert.strictEqual(expected.length, texts.length);
  let matches = 0;
  texts.forEach((text, i) => {
    const rows = rowsOf(matcher.find(text));
    assert.deepStrictEqual(rows, expected[i].map(clean), `in ${JSON.stringify(text)}`);
    matches += rows.length;
  });
  return matches;
}

test('every pattern of the dataset is for browsers, and this one takes them', () => {
  assert.strictEqual(patterns.length, records.length);
  assert.deepStrictEqual(matcher.broken, []);
  assert.strictEqual(matcher.tryAlways.length, 0);
});

test('examples are found as the program finds them, each by its own record', () => {
  assertSame(examples.map(({ text }) => text));
  const own = examples.filter(({ record, text }) => matcher.find(text).some(isOf(record)));
  const others = examples.filter((example) => !own.includes(example));
  // A few records are only found beside what their context asks for, which their examples have not.
  assert.deepStrictEqual(others.filter(({ record }) => !record.context).map(({ text }) => text), []);
  assert.ok(own.length > 0.99 * examples.length);
});

test('near misses are judged as the program judges them', () => {
  assertSame(nearMisses.map(({ text }) => text));
  for (const { record, text } of nearMisses)
    assert.ok(!matcher.find(text).some(isOf(record)), `${record.slug} in ${text}`);
});

const kPrefixes = ['', '[2026-01-02 03:04:05 TP0] ', 'ERROR 01-02 03:04:05 [core.py:400] ',
  '\x1b[1;36m(EngineCore_DP0 pid=12)\x1b[0;0m ERROR 01-02 03:04:05 [core.py:400] ',
  '2026-01-02T03:04:05.000000001Z stderr F ', 'server-1  | ', '[rank0]: ', '[rank3]:[W102 03:04:05.1 x.cpp:3] ',
  'Jan  2 03:04:05 node7 vllm[8707]: ', 'stderr F ', 'engine-0 engine (EngineCore_0 pid=7) ', 'torch.x.FooError: ',
  '| ', '(APIServer pid=1) INFO 01-02 03:04:05 [a.py:1] x (Worker pid=2) ERROR 01-02 03:04:05 [b.py:1] '];
const kTails = ['', '  \t', ' [type=value_error, input_value=3]', '\x1b[0m', '\r', ' and more.', '\xff\x80', '.'];

// The text as a log carries it: behind a prefix, with colours or quotes in it, and other lines around.
function carried(random, text) {
  const at = random.below(text.length + 1);
  const insert = random.oneOf(['', '', '\x1b[31m', '^[[0m', '\x1b[0m\x1b[1m', '[1;36m', '\x1b]0;t\x07']);
  let line = text.slice(0, at) + insert + text.slice(at);
  if (random.below(4) === 0) line = line.replace(/'/g, random.oneOf(['\xe2\x80\x99', '&#39;', '&apos;', "'"]));
  if (random.below(4) === 0) line = line.replace(/"/g, random.oneOf(['\xe2\x80\x9c', '&quot;', '&#x22;']));
  return random.oneOf(kPrefixes) + line + random.oneOf(kTails);
}

test('logs with prefixes, colours and glued records are read as the program reads them', () => {
  const random = makeRandom(7);
  const texts = [];
  for (let i = 0; i < 4000; ++i) {
    const lines = [];
    for (let n = 1 + random.below(4); n > 0; --n) {
      const line = carried(random, random.oneOf(examples).text);
      lines.push(random.below(6) === 0 ? line + carried(random, random.oneOf(examples).text) : line);
    }
    texts.push(lines.join(random.oneOf(['\n', '\n', '\r\n', '\n\n'])));
  }
  assert.ok(assertSame(texts) > 5000);
});

test('a log of many blocks is read as the program reads it, line numbers included', () => {
  const random = makeRandom(9);
  const lines = [];
  for (let i = 0; i < 9000; ++i)
    lines.push(random.below(3) === 0 ? random.oneOf(examples).text : `INFO 01-02 03:04:05 step ${i} of many, nothing to see`);
  assert.ok(assertSame([lines.join('\n')]) > 3000);
});

test('cut and mixed messages are judged as the program judges them', () => {
  const random = makeRandom(8);
  const texts = [];
  for (let i = 0; i < 4000; ++i) {
    const a = random.oneOf(examples).text;
    const b = random.oneOf(examples).text;
    texts.push(a.slice(random.below(a.length)) + random.oneOf(['', ' ', ': ', '\n']) + b.slice(0, random.below(b.length)));
  }
  assertSame(texts);
});

test('lines of a JSON record are read as the program reads them', () => {
  const texts = examples.filter(({ text }) => !text.includes('\n'))
    .map(({ text }) => JSON.stringify({ level: 'error', msg: text }));
  assert.ok(assertSame(texts, (value) => cleanText(JSON.parse(`"${value}"`))) > 1000);
});

test('a more specific record stands for what it covers', () => {
  for (const { text } of examples) {
    const kept = assay.logMatching.withoutCovered(matcher.find(text));
    for (const [i, match] of kept.entries())
      for (const other of kept.slice(0, i))
        assert.ok(!other.matched.includes(match.matched) || other.begin !== match.begin, text);
  }
});

test('captures have the names of the message', () => {
  const { namedCaptures } = assay.logMatching;
  assert.deepStrictEqual(namedCaptures('got {dtype} and {}', ['bf16', '\xc3\xa9']),
    [{ name: 'dtype', value: 'bf16' }, { name: '2', value: 'é' }]);
  assert.deepStrictEqual(namedCaptures('got {a}', ['x', undefined]), [{ name: '1', value: 'x' }]);
});

test('the log of a page is read in blocks that name its lines right', () => {
  const filler = 'INFO 01-02 03:04:05 nothing of note happened here\n'.repeat(7000);
  const found = matcher.find(filler + examples[0].text + '\n' + filler + examples[0].text);
  assert.deepStrictEqual(found.map((match) => match.line), [7001, 14002]);
});

test('hostile text neither hangs nor breaks it', () => {
  for (const text of ['', '\n', '\0', '\x1b', '\x1b[', '^[[', '{"', '{"a":"\\', '&#99999999;', '['.repeat(1e5), '('.repeat(1e5),
    ': '.repeat(1e5), 'E: '.repeat(5e4), '[2026-01-02 03:04:05 '.repeat(2e4), 'ERROR 01-02 03:04:05 '.repeat(2e4),
    ') pid=('.repeat(5e4), '{"a":"' + '\\n'.repeat(1e5) + '"}', '\xe2\x80'.repeat(1e5)])
    matcher.find(text);
  for (const { text } of examples.slice(0, 200)) matcher.find(text.repeat(200));
});
