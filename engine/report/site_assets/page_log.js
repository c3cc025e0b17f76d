'use strict';
// "Paste your line" on the page of an error, and "Paste your log" on a page of its own. Everything is
// done here, in the browser; the page's policy forbids it to send anything. What was pasted is shown
// as text only.
(() => {
  const { element, LogMatcher, logMatching, logCause } = assay;
  const { fromBytes, toBytes, namedCaptures, withoutCovered } = logMatching;
  const article = document.querySelector('main article');
  if (!article) return;
  const kMaxBytes = 64 << 20;
  const kMaxLine = 20000;
  const kMaxShown = 200;
  const kMaxQuoted = 600;

  function captureList(captures) {
    if (captures.length === 0) return null;
    return element('dl', { class: 'captures' }, ...captures.map(({ name, value }) =>
      element('div', {}, element('dt', {}, /^\d+$/.test(name) ? `part ${name}` : name), element('dd', {}, value))));
  }

  // The message with its captures set off, as far as they can be told apart in it.
  function withCaptures(match) {
    const text = match.matched.slice(0, kMaxQuoted);
    const parts = [];
    let done = 0;
    for (const capture of match.captures) {
      const at = capture ? text.indexOf(capture, done) : -1;
      if (at < 0) continue;
      parts.push(fromBytes(text.slice(done, at)), element('strong', {}, fromBytes(capture)));
      done = at + capture.length;
    }
    return [...parts, fromBytes(text.slice(done))];
  }

  // A line with the message in it marked; of a long one, the part around it.
  function quote(match) {
    const at = Math.max(0, match.text.indexOf(match.matched));
    const end = at + Math.min(match.matched.length, kMaxQuoted);
    const begin = at > kMaxQuoted / 4 ? at - kMaxQuoted / 4 : 0;
    return element('pre', { class: 'quote' }, element('code', {},
      (begin > 0 ? '…' : '') + fromBytes(match.text.slice(begin, at)),
      element('mark', {}, ...withCaptures(match)),
      fromBytes(match.text.slice(end, end + kMaxQuoted))));
  }

  function startLineBox(record) {
    const matcher = new LogMatcher([record]);
    if (matcher.entries.length === 0) return;
    const input = element('textarea', { id: 'pasted-line', rows: 2, spellcheck: 'false',
      autocomplete: 'off', 'aria-describedby': 'pasted-line-result' });
    const result = element('div', { id: 'pasted-line-result', role: 'status' });
    const update = () => {
      const text = input.value.slice(0, kMaxLine);
      if (text.trim() === '') return result.replaceChildren();
      const [match] = matcher.find(toBytes(text));
      if (!match) {
        result.replaceChildren(element('p', {}, 'This message is not in it. ',
          element('a', { href: `${assay.root}explain/index.html` }, 'Look for all known errors')));
        return;
      }
      const captures = namedCaptures(record.message, match.captures);
      result.replaceChildren(quote(match), captureList(captures) ?? element('p', {}, 'This is it.'));
    };
    input.addEventListener('input', update);
    const box = element('section', { class: 'paste', 'aria-label': 'Paste your line' },
      element('label', { for: 'pasted-line' }, 'Paste your line'), input, result);
    const message = article.querySelector('#error-message');
    let before = message ? message.nextElementSibling?.nextElementSibling : article.querySelector('h2');
    if (before?.parentNode !== article) before = null;
    article.insertBefore(box, before);
    const given = /^#line=(.*)$/.exec(location.hash);
    if (!given) return;
    try {
      input.value = decodeURIComponent(given[1]).slice(0, kMaxLine);
    } catch {
      return;  // somebody cut the address
    }
    update();
  }

  const counted = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;
  const kOrder = { error: 0, warning: 1, note: 2, info: 2 };

  // One entry a record: the first place, and how many lines there are.
  class Hits {
    constructor() {
      this.groups = new Map();
      this.lines = 0;
    }

    add(matches) {
      this.lines += matches.length;
      for (const match of withoutCovered(matches)) {
        const group = this.groups.get(match.entry);
        if (group) ++group.count;
        else this.groups.set(match.entry, { match, count: 1 });
      }
    }

    // The cause first, then other errors; what only carries another last.
    inOrder(cause) {
      const rank = (group) => {
        const { entry } = group.match;
        return group === cause ? -1 : (entry.isWrapper ? 10 : 0) + (kOrder[entry.severity] ?? 0) + (entry.isSymptom ? 0.5 : 0);
      };
      return [...this.groups.values()].sort((a, b) => rank(a) - rank(b) || a.match.line - b.match.line);
    }
  }

  function hitItem({ match, count }) {
    const { entry } = match;
    const line = fromBytes(match.text.slice(0, 2000));
    const places = count === 1 ? `line ${match.line}` : `line ${match.line}, and ${counted(count - 1, 'more line')}`;
    return element('li', {},
      element('p', { class: 'eyebrow' },
        element('span', { class: `severity ${entry.severity === 'warning' ? 'warning' : 'error'}` }, entry.severity),
        ` ${places}${entry.isWrapper ? ' · only carries another error' : ''}`),
      element('p', { class: 'hit' },
        element('a', { href: `${assay.root}${entry.path}.html#line=${encodeURIComponent(line)}` }, entry.message)),
      quote(match), captureList(namedCaptures(entry.message, match.captures)));
  }

  const kVerdicts = { cause: 'Root cause, as far as this text tells', possible: 'Possible cause',
    unknown: 'Root cause, as far as this text tells: an error that is not known',
    absent: 'The root cause is not in this text' };

  // Which error it was, or that the text does not hold it.
  function verdictOf({ kind, group, why, unknown, fetch }) {
    if (kind === 'none') return null;
    const parts = [element('p', { class: 'eyebrow' }, kVerdicts[kind])];
    if (group) parts.push(element('p', { class: 'hit' },
      element('a', { href: `${assay.root}${group.match.entry.path}.html` }, group.match.entry.message), ` — line ${group.match.line}`));
    if (unknown) parts.push(element('pre', { class: 'quote' }, element('code', {}, unknown.text)));
    parts.push(element('p', {}, unknown ? `Line ${unknown.line}. ${why}` : why));
    if (fetch) parts.push(element('p', {}, 'What shows it: ', fetch));
    return element('section', { class: `verdict ${kind}`, 'aria-label': 'Root cause' }, ...parts);
  }

  const pause = () => new Promise((resolve) => { setTimeout(resolve); });

  function startLogBox() {
    let matcher = null;
    let run = 0;  // a newer one ends the older ones
    const input = element('textarea', { id: 'pasted-log', rows: 12, spellcheck: 'false', autocomplete: 'off',
      'aria-describedby': 'log-status' });
    const file = element('input', { type: 'file', id: 'log-file' });
    const status = element('p', { role: 'status', id: 'log-status' });
    const verdict = element('div', { id: 'log-verdict' });
    const list = element('ol', { class: 'hits' });

    async function explain(bytes) {
      const mine = ++run;
      list.replaceChildren();
      verdict.replaceChildren();
      if (bytes.trim() === '') { status.textContent = ''; return; }
      status.textContent = 'Looking…';
      await pause();
      matcher ??= new LogMatcher(await assay.load('log-patterns'));
      const hits = new Hits();
      const surroundings = new logCause.LogSurroundings();
      let working = 0;
      let shown = performance.now();
      const blocks = matcher.scan(bytes);
      for (;;) {
        const from = performance.now();
        const block = blocks.next();
        if (block.done) break;
        const { matches } = block.value;
        hits.add(matches);
        surroundings.add(block.value.block, block.value.first, new Set(matches.map((match) => match.line)));
        working += performance.now() - from;
        if (performance.now() - shown < 50) continue;
        status.textContent = `Looking… ${Math.floor(100 * block.value.read / block.value.length)} %`;
        await pause();
        shown = performance.now();
        if (mine !== run) return;
      }
      const cause = logCause.findCause([...hits.groups.values()], surroundings);
      const groups = hits.inOrder(cause.group);
      const told = verdictOf(cause);
      if (told) verdict.append(told);
      list.replaceChildren(...groups.slice(0, kMaxShown).map(hitItem));
      const found = groups.length === 0 ? 'No known error found'
        : `${counted(groups.length, 'known error')} in ${counted(hits.lines, 'place')}`;
      const rest = groups.length > kMaxShown ? `; the first ${kMaxShown} are shown` : '';
      const size = bytes.length < 1e5 ? '' : ` ${(bytes.length / 1e6).toFixed(1)} MB in ${Math.round(working)} ms.`;
      status.textContent = `${found}${rest}.${size}`;
    }

    const report = (fault) => { status.textContent = fault.message; };
    let timer = 0;
    input.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => explain(toBytes(input.value.slice(0, kMaxBytes))).catch(report), 150);
    });
    async function explainFile(chosen) {
      if (!chosen) return;
      if (chosen.size > kMaxBytes) {
        ++run;
        list.replaceChildren();
        verdict.replaceChildren();
        status.textContent = `The file is larger than ${kMaxBytes >> 20} MB: assay explain reads any size.`;
        return;
      }
      const bytes = new Uint8Array(await chosen.arrayBuffer());
      const parts = [];
      for (let at = 0; at < bytes.length; at += 8192)
        parts.push(String.fromCharCode.apply(null, bytes.subarray(at, at + 8192)));
      await explain(parts.join(''));
    }
    file.addEventListener('change', () => explainFile(file.files[0]).catch(report));
    const box = element('section', { class: 'paste' },
      element('label', { for: 'pasted-log' }, 'Your log, or the part around the error'), input,
      element('p', { class: 'file' }, element('label', { for: 'log-file' }, 'or a file of yours'), file), status, verdict, list);
    const note = article.querySelector('p.note');
    if (note) note.replaceWith(box);
    else article.append(box);
  }

  if (document.body.classList.contains('page-explain')) startLogBox();
  if (article.dataset.pattern) {
    try {
      startLineBox(JSON.parse(article.dataset.pattern));
    } catch {
      // a page of another version than its script: it does without the box
    }
  }
})();
