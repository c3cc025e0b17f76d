'use strict';
// What the lines of a log say once what carried them is taken off: terminal escapes, typographic
// quotes, HTML entities, JSON records; clocks, levels, processes and exception classes. The same as
// engine/text/log_text.cc and engine/evaluate/log_line.cc, without the records that a container's
// runtime has split, and proven the same by tests/site. Texts are strings of bytes: one character,
// 0 to 255, for each byte of UTF-8, because that is what the patterns are made for.
globalThis.assay = globalThis.assay || {};

(() => {
  const kMarker = /[\x1b^&]|\xe2\x80|\dm|(?:^|\n|F |\| )\{"/;
  // Sequences that stand for something else than themselves, in one pass.
  const kEscape =
    '(?:\\x1b|\\^\\[(?=\\[))(?:\\[(?:[ -?]{0,254}[@-~])?|\\][^\\n\\x07\\x1b]{0,254}(?:\\x07|\\x1b\\\\?)|[()][^]?|[0-~])?';
  const kBareColour = '\\[\\d{1,3}(?:;\\d{1,3}){0,4}m(?!\\])';
  const kEntity = '&(?:amp|lt|gt|quot|apos|nbsp|[lr][sd]quo|#\\d{1,8}|#[xX][0-9a-fA-F]{1,7});';
  const kQuote = '\\xe2\\x80[\\x98-\\x9f]';
  const kSequences = new RegExp(`${kEscape}|${kBareColour}|${kEntity}|${kQuote}`, 'g');
  const kNamed = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ', lsquo: "'",
    rsquo: "'", ldquo: '"', rdquo: '"' };
  const kJsonRecord = /(^|\n)((?:[^\n]*?(?: F |\| ))?)(\{"[^\n]*\})(?=[\r ]*(?:\n|$))/g;
  const kJsonEscape = /"|\\(?:u001b(?:\[(?:[ -?]{0,254}[@-~])?)?|u[0-9a-fA-F]{4}|[nrt"\\/]|[^]?)/g;

  // ASCII for a character's number where there is one, else null.
  function plainCharacter(code) {
    if (code >= 0x2018 && code <= 0x201b) return "'";
    if (code >= 0x201c && code <= 0x201f) return '"';
    if (code === 0xa0) return ' ';
    return code > 0 && code < 0x80 ? String.fromCharCode(code) : null;
  }

  function meaningOf(sequence) {
    if (sequence[0] === '\xe2') return sequence.charCodeAt(2) < 0x9c ? "'" : '"';
    if (sequence[0] !== '&') return '';
    const name = sequence.slice(1, -1);
    if (name[0] !== '#') return kNamed[name];
    const isHex = name[1] === 'x' || name[1] === 'X';
    return plainCharacter(parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10)) ?? sequence;
  }

  function meaningInJson(sequence) {
    if (sequence === '"' || sequence === '\\n' || sequence === '\\r') return '\r';
    if (sequence === '\\t') return '\t';
    if (sequence[1] !== 'u') return /^\\["\\/]$/.test(sequence) ? sequence[1] : sequence;
    if (sequence.startsWith('\\u001b')) return '';
    return plainCharacter(parseInt(sequence.slice(2), 16)) ?? sequence;
  }

  // Line feeds stay, so that lines keep their numbers; a carriage return ends a line as well.
  function cleanText(text) {
    if (!kMarker.test(text)) return text;
    const plain = text.replace(kJsonRecord, (all, feed, before, record) =>
      feed + before + record.replace(kJsonEscape, meaningInJson));
    return plain.replace(kSequences, meaningOf);
  }

  const kLevel = /^(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL):?$/;
  const kBlanks = /^[ \t]+/;
  const kMaxPrefixes = 1024;
  const skipBlanks = (text) => text.replace(kBlanks, '');

  function carrierLength(line) {
    if (/^std(?:out|err) [FP](?: |$)/.test(line)) return 8;
    const syslog = /^[A-S].. .. \d\d:\d\d:\d\d [^ ]* (?=[^ ]*\]: )/.exec(line);
    if (syslog) return line.indexOf(']: ', syslog[0].length - 1) + 3;
    const open = line.indexOf(' (');
    if (open < 0 || !line.substr(open, 64).includes(' pid=')) return 0;
    return /^[\w.-]* [\w.-]*$/.test(line.slice(0, open)) ? open + 1 : 0;
  }

  // Bytes of a clock, level, process, file or carrier at the beginning of the line; 0 for none.
  function prefixLength(line) {
    const head = line.slice(0, 160);
    if (head[0] === '[') {
      const close = head.indexOf(']');
      if (close < 0 || !/\d/.test(head.slice(0, close))) return 0;
      return close + 1 + (line[close + 1] === ':' ? 1 : 0);
    }
    if (head[0] === '(') {
      const close = head.indexOf(')');
      const process = head.indexOf('pid=');
      return close < 0 || process < 0 || process > close ? 0 : close + 1;
    }
    const carrier = carrierLength(head);
    if (carrier > 0) return carrier;
    const word = /^[^ \t]*/.exec(head)[0];
    const isClock = word.length >= 5 && /^\d[\d\-:.,+TZ/]*$/.test(word) && /[:-]/.test(word);
    if (isClock || word === '|' || word === '-' || word === 'UTC') return word.length;
    if (word.length === head.length) return 0;
    if (kLevel.test(word)) return word.length;
    const place = word.indexOf('.py:');
    if (place >= 0 && place + 5 < word.length && /^\d.*[\]:]$/.test(word.slice(place + 4)))
      return word.length;
    const rest = skipBlanks(head.slice(word.length));
    if (rest[0] === '|' && (rest.length === 1 || rest[1] === ' ') && /^[\w-]*$/.test(word))
      return head.length - rest.length + 1;
    return 0;
  }

  const kErrorClass = /^[A-Z].*$/;
  const kErrorEnd = /(?:Error|Exception|Interrupt|Exit|Timeout|Warning)$/;

  // {errorClass, message}; the message is what follows the class, else the line without prefixes.
  function splitLine(line) {
    let end = line.length;
    while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) --end;
    line = line.slice(0, end);
    const tail = line.endsWith(']') ? line.lastIndexOf(' [type=') : -1;
    let message = skipBlanks(tail > 0 ? line.slice(0, tail) : line);
    for (let length = prefixLength(message); length > 0; length = prefixLength(message))
      message = skipBlanks(message.slice(length));
    for (let colon = message.indexOf(': '); colon >= 0; colon = message.indexOf(': ', colon + 1)) {
      let begin = colon;
      while (begin > 0 && /[\w.]/.test(message[begin - 1])) --begin;
      const name = message.slice(message.lastIndexOf('.', colon - 1) >= begin
        ? message.lastIndexOf('.', colon - 1) + 1 : begin, colon);
      if (kErrorClass.test(name) && kErrorEnd.test(name))
        return { errorClass: message.slice(begin, colon), message: skipBlanks(message.slice(colon + 2)) };
    }
    return { errorClass: '', message };
  }

  const kRecordStart =
    /\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\[\d\d:\d\d:\d\d TP|(?<!\w)(?:DEBUG:?|INFO:?|WARN:?|WARNING:?|ERROR:?|CRITICAL) \d\d-\d\d \d\d:\d\d:\d\d/g;

  // Where the processes in front of `at` begin: "(APIServer pid=1) (Worker_TP3 pid=45) ".
  function beforeProcesses(line, at, first) {
    while (at >= first + 2 && line.startsWith(') ', at - 2)) {
      const open = line.lastIndexOf('(', at - 1);
      if (open < first || !line.slice(open, at).includes(' pid=')) break;
      at = open;
    }
    return at;
  }

  // The records glued together in one line.
  function splitRecords(line) {
    const records = [];
    let first = 0;
    for (const start of line.matchAll(kRecordStart)) {
      const begin = beforeProcesses(line, start.index, first);
      const record = line.slice(first, begin);
      if (record !== '' && (record.length > kMaxPrefixes || splitLine(record).message !== '')) {
        records.push(record);
        first = begin;
      }
    }
    records.push(line.slice(first));
    return records;
  }

  // Text as a string of its bytes in UTF-8, and back.
  function toBytes(text) {
    const bytes = new TextEncoder().encode(text);
    if (bytes.length === text.length) return text;
    const parts = [];
    for (let at = 0; at < bytes.length; at += 8192)
      parts.push(String.fromCharCode.apply(null, bytes.subarray(at, at + 8192)));
    return parts.join('');
  }

  function fromBytes(text) {
    return new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0)));
  }

  assay.logLines = { cleanText, splitLine, splitRecords, toBytes, fromBytes };
})();
