'use strict';
// What a reader types, and what is found, in a small world of pages.
const assert = require('node:assert');
const test = require('node:test');
require('./site_script.js');

const page = (kind, path, title, detail = '', terms = '') => ({ kind, path, title, detail, terms });
const entries = [
  page('error', 'errors/sglang/mla', 'tokenspeed_mla backend requires kv_cache_dtype fp8_e4m3, got {kv}',
    'ValueError · sgl-project/sglang', 'mla kv-cache 50f82a4b5a705b9a'),
  page('error', 'errors/cuda/oom', 'CUDA out of memory. Tried to allocate {n} GiB', 'OutOfMemoryError · pytorch/pytorch', 'memory gpu'),
  page('error', 'errors/sglang/contiguous', 'q must be contiguous', 'AssertionError · sgl-project/sglang', 'kernel'),
  page('rule', 'rules/sglang/attention/fp8', 'The attention backend does not take this cache type',
    'sglang/attention/tokenspeed-mla-without-fp8-kv', ''),
  page('argument', 'arguments/sglang/attention-backend', '--attention-backend', 'Choose the kernels for attention layers', ''),
  page('argument', 'arguments/sglang/mem-fraction-static', '--mem-fraction-static', 'The fraction of memory for weights and cache', ''),
  page('cause', 'causes/tensor-not-contiguous', 'Tensor not contiguous', '', 'tensor-not-contiguous'),
  page('error', 'errors/x/unicode', 'Größe überschritten', '', ''),
];
const index = new assay.SearchIndex(entries);
const first = (query) => index.search(query)[0]?.entry.path;

test('words of messages, flags, tags, ids and summaries are found', () => {
  assert.strictEqual(first('out of memory'), 'errors/cuda/oom');
  assert.strictEqual(first('--attention-backend'), 'arguments/sglang/attention-backend');
  assert.strictEqual(first('attention_backend'), 'arguments/sglang/attention-backend');
  assert.strictEqual(first('50f82a4b5a705b9a'), 'errors/sglang/mla');
  assert.strictEqual(first('tokenspeed-mla-without-fp8-kv'), 'rules/sglang/attention/fp8');
  assert.strictEqual(first('OutOfMemoryError'), 'errors/cuda/oom');
  assert.strictEqual(first('assertion'), 'errors/sglang/contiguous');
  assert.strictEqual(first('GRÖSSE überschritten'), 'errors/x/unicode');
});

test('what is being typed is found by its beginning', () => {
  assert.strictEqual(first('tokens'), 'errors/sglang/mla');
  assert.strictEqual(first('mem fr'), 'arguments/sglang/mem-fraction-static');
  assert.strictEqual(first('kvcache'), 'errors/sglang/mla');
  assert.ok(index.search('c').length > 2);
});

test('slips of the keys are forgiven', () => {
  assert.strictEqual(first('memroy fractoin'), 'arguments/sglang/mem-fraction-static');
  assert.strictEqual(first('atention bakend'), 'arguments/sglang/attention-backend');
  assert.strictEqual(first('contigous tensor'), 'causes/tensor-not-contiguous');
  assert.strictEqual(first('toeknspeed'), 'errors/sglang/mla');
  assert.deepStrictEqual(index.search('xq'), []);
});

test('a pasted message is found by the words that are known', () => {
  assert.strictEqual(first('ValueError: tokenspeed_mla backend requires kv_cache_dtype fp8_e4m3, got bf16 on rank 12'),
    'errors/sglang/mla');
  assert.strictEqual(first('RuntimeError: CUDA out of memory. Tried to allocate 1.17 GiB (GPU 0; 79 GiB total)'), 'errors/cuda/oom');
});

test('a query has no syntax, and no text is too long or too odd', () => {
  for (const query of ['', ' ', '"', '(', '[a-', '*', '\\', '<script>', '\u202e', '\ud800', 'a'.repeat(1e5), 'a b '.repeat(1e5), '__proto__',
    'constructor', 'toString'])
    assert.ok(Array.isArray(index.search(query)));
});

test('the best come first, no more than asked for, the same each time', () => {
  const found = index.search('attention', 2);
  assert.strictEqual(found.length, 2);
  assert.ok(found[0].score >= found[1].score);
  assert.deepStrictEqual(index.search('attention', 2), found);
});

test('a filter of the caller counts before the limit does', () => {
  const found = index.search('attention', 1, (entry) => entry.kind === 'rule');
  assert.deepStrictEqual(found.map((one) => one.entry.kind), ['rule']);
});

test('edit distance counts exchanged neighbours once and stops at its limit', () => {
  const { editDistance } = assay.searching;
  assert.strictEqual(editDistance('memroy', 'memory', 2, false), 1);
  assert.strictEqual(editDistance('atention', 'attention', 2, false), 1);
  assert.strictEqual(editDistance('atten', 'attention', 1, true), 0);
  assert.strictEqual(editDistance('kernel', 'memory', 2, false), 3);
  assert.strictEqual(editDistance('a'.repeat(60), 'a'.repeat(60), 2, false) <= 2, true);
});

test('the written index is taken apart again', () => {
  const written = { kinds: ['error', 'rule'], entries: [[1, 'p', 't', 'd', 'x y', 0, -1]],
    facets: [{ name: 'severity', label: 'Severity', values: ['error'] }, { name: 'project', label: 'Project', values: [] }] };
  assert.deepStrictEqual(assay.searching.readSearchIndex(written),
    [{ kind: 'rule', path: 'p', title: 't', detail: 'd', terms: 'x y', facets: ['error', ''] }]);
});
