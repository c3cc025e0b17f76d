'use strict';
// Which error of a pasted log is the cause: what the program says of the same text, where the text
// alone tells.
const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const test = require('node:test');
const { matchTexts, readData, readRecords, makeRandom } = require('./site_script.js');

const [, , matchProgram, program] = process.argv;
const { toBytes } = assay.logLines;
const matcher = new assay.LogMatcher(readData(matchTexts(matchProgram, 'patterns')));
const records = readRecords().filter((record) => record.status !== 'retired' && !record.context);

function verdictOf(text) {
  const surroundings = new assay.logCause.LogSurroundings();
  const groups = new Map();
  for (const { matches, block, first } of matcher.scan(toBytes(text))) {
    for (const match of assay.logMatching.withoutCovered(matches))
      if (!groups.has(match.entry)) groups.set(match.entry, { match, count: 1 });
    surroundings.add(block, first, new Set(matches.map((match) => match.line)));
  }
  return assay.logCause.findCause([...groups.values()], surroundings);
}

const nameOf = (verdict) => verdict.group?.match.entry.path.split('/').pop() ?? verdict.kind;
const kWrapped = { known: 'cause', 'not-in-text': 'absent', unknown: 'unknown', nothing: 'none' };

function programsVerdict(texts) {
  const explained = texts.map((text) => {
    const done = spawnSync(program, ['explain', '--format', 'json'], { input: text, encoding: 'utf8', maxBuffer: 1 << 28 });
    return JSON.parse(done.stdout).texts[0];
  });
  return explained.map((one) => {
    const cause = one.errors.find((error) => error.role === 'cause' || error.role === 'symptom');
    return cause?.record ? cause.slug.slice(0, 100) : kWrapped[one.cause];
  });
}

const oneLine = ({ examples }) => examples?.length > 0 && !examples[0].message.includes('\n');
const isSymptom = ({ tags }) => (tags || []).includes('symptom');
const lineOf = ({ examples, errorClass }) => (/^\w+(?:Error|Exception)$/.test(errorClass || '')
  ? `${errorClass}: ${examples[0].message}` : examples[0].message);

test('of a wrapper and an error the error is the cause, wherever it stands', () => {
  const wrapper = records.find((record) => record.wrapper && oneLine(record));
  const error = records.find((record) => record.slug === 'tokenspeed-mla-backend-requires-kv-cache-dtype-fp8');
  for (const lines of [[wrapper, error], [error, wrapper]])
    assert.strictEqual(nameOf(verdictOf(lines.map(lineOf).join('\n'))), error.slug);
});

test('a wrapper alone says that the cause is not there, and what would show it', () => {
  const wrapper = records.find((record) => record.wrapper && oneLine(record) && record.solutions.length > 0);
  const verdict = verdictOf(wrapper.examples[0].message);
  assert.strictEqual(verdict.kind, 'absent');
  assert.strictEqual(verdict.fetch, wrapper.solutions[0]);
});

test('an exception that nobody has described is said to be unknown, and to come before', () => {
  const error = records.find((record) => record.slug === 'tokenspeed-mla-backend-requires-kv-cache-dtype-fp8');
  const unknown = '[2026-01-02 03:04:05 TP0] ZebraError: the stripes are wrong';
  assert.deepStrictEqual([verdictOf(`INFO x\n${unknown}\n`)].map(({ kind, unknown: told }) => [kind, told.line, told.text]),
    [['unknown', 2, 'ZebraError: the stripes are wrong']]);
  assert.match(verdictOf(`${unknown}\n${lineOf(error)}`).why, /error at line 1, before it/);
  assert.doesNotMatch(verdictOf(`${lineOf(error)}\n${unknown}`).why, /before it/);
});

test('of an exception chain the most specific error is the cause', () => {
  const two = records.filter((record) => !record.wrapper && !isSymptom(record) && record.severity === 'error' && oneLine(record));
  const [a, b] = [two[0], two[1]];
  const lines = [lineOf(a), '', 'During handling of the above exception, another exception occurred:', '', lineOf(b)];
  const verdict = verdictOf(lines.join('\n'));
  assert.match(verdict.why, /most specific of the 2/);
});

test('text without an error has no cause', () => {
  assert.strictEqual(verdictOf('').kind, 'none');
  assert.strictEqual(verdictOf('INFO all is well\n'.repeat(50)).kind, 'none');
});

test('the program names the same cause', () => {
  const random = makeRandom(5);
  const lines = records.filter((record) => oneLine(record) && record.severity === 'error' && record.repo === 'sgl-project/sglang');
  const errors = lines.filter((record) => !record.wrapper && !isSymptom(record));
  const others = lines.filter((record) => record.wrapper || isSymptom(record));
  const texts = [];
  for (let i = 0; i < 40; ++i) {
    const chosen = [random.oneOf(others), random.oneOf(errors), random.oneOf(others)];
    if (random.below(2) === 0) chosen.reverse();
    texts.push(`${chosen.map((record) => `[2026-01-02 03:04:05 TP0] ${lineOf(record)}`).join('\n')}\n`);
  }
  const expected = programsVerdict(texts);
  texts.forEach((text, i) => assert.strictEqual(nameOf(verdictOf(text)), expected[i], text));
});

test('hostile text neither hangs nor breaks it', () => {
  for (const text of ['Error: '.repeat(1e5), 'xError\n'.repeat(1e5), 'A'.repeat(1e6), '['.repeat(1e5) + 'AError', '('.repeat(1e5) + 'AError: x',
    `${'a.'.repeat(1e5)}Error: x`, 'During handling of the above exception\n'.repeat(1e4)])
    verdictOf(text);
});
