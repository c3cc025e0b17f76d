'use strict';
// Narrows the lists of an index page by severity, project, area and the like, and by words. What is
// chosen stands in the page's address (?severity=error&words=cache), so that it can be kept and sent.
// The values come from the search index, by the pages that the list links to.
(() => {
  const { element } = assay;
  const kFewest = 12;  // a shorter list needs no filter
  const article = document.querySelector('main article');
  const isIndex = /(?:^|\/)index\.html$/.test(location.pathname) || location.pathname.endsWith('/');
  const isListing = isIndex || /\bpage-(?:tag|cause|version|source|argument)\b/.test(document.body.className);
  if (!article || !isListing || document.body.classList.contains('page-home')) return;

  const pathOf = (link) => (link.href.startsWith(assay.root)
    ? link.href.slice(assay.root.length).replace(/\.html(?:[?#].*)?$/, '') : null);

  function listedItems(entries) {
    const byPath = new Map(entries.map((entry) => [entry.path, entry]));
    return [...article.querySelectorAll('li, tbody tr')].map((item) => {
      const link = item.querySelector('a');
      return { item, entry: link && byPath.get(pathOf(link)), text: item.textContent.toLowerCase() };
    }).filter((listed) => listed.entry);
  }

  // [{name, label, values: [[value, count]]}] of the facets that tell the items apart.
  function facetsOf(written, items) {
    return written.facets.map((facet, i) => {
      const counts = new Map();
      for (const { entry } of items)
        if (entry.facets[i] !== '') counts.set(entry.facets[i], (counts.get(entry.facets[i]) || 0) + 1);
      const values = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
      return { ...facet, position: i, values };
    }).filter((facet) => facet.values.length > 1);
  }

  // Headings and lists of which nothing is shown are not shown either.
  function hideEmptyParts(items) {
    const shown = new Set(items.filter(({ item }) => !item.hidden).map(({ item }) => item));
    const all = new Set(items.map(({ item }) => item));
    const above = [];  // the headings that the next part stands under
    const counts = new Map();  // heading -> [items, shown items]
    for (const part of article.children) {
      const level = /^H([2-6])$/.exec(part.tagName)?.[1];
      if (level) {
        while (above.length > 0 && above[above.length - 1].level >= level) above.pop();
        above.push({ level, part });
        continue;
      }
      const listed = [...part.querySelectorAll('li, tbody tr')].filter((item) => all.has(item));
      if (listed.length === 0) continue;
      const here = listed.filter((item) => shown.has(item)).length;
      part.hidden = here === 0;
      for (const { part: heading } of above) {
        const [known, visible] = counts.get(heading) || [0, 0];
        counts.set(heading, [known + listed.length, visible + here]);
      }
    }
    for (const [heading, [, visible]] of counts) heading.hidden = visible === 0;
  }

  class Filters {
    constructor(items, facets) {
      this.items = items;
      this.facets = facets;
      this.words = element('input', { type: 'search', id: 'filter-words', autocomplete: 'off',
        spellcheck: 'false', input: () => this.change() });
      this.selects = facets.map((facet) => this.selectOf(facet));
      this.status = element('p', { role: 'status' });
      this.clear = element('button', { type: 'button', click: () => this.reset() }, 'Show all');
      const fields = [this.field('Words', this.words),
        ...facets.map((facet, i) => this.field(facet.label, this.selects[i]))];
      this.form = element('form', { class: 'filters', role: 'search', 'aria-label': 'Filter this list',
        submit: (event) => event.preventDefault() },
        element('div', { class: 'fields' }, ...fields),
        element('div', { class: 'result' }, this.status, this.clear));
    }

    field(label, control) {
      return element('div', { class: 'field' }, element('label', { for: control.id }, label), control);
    }

    selectOf(facet) {
      return element('select', { id: `filter-${facet.name}`, change: () => this.change() },
        element('option', { value: '' }, 'all'),
        ...facet.values.map(([value, count]) => element('option', { value }, `${value} (${count})`)));
    }

    read() {
      const asked = new URLSearchParams(location.search);
      this.words.value = asked.get('words') || '';
      this.facets.forEach((facet, i) => {
        const value = asked.get(facet.name) || '';
        this.selects[i].value = facet.values.some(([known]) => known === value) ? value : '';
      });
      this.apply();
    }

    change() {
      const kept = new URLSearchParams(location.search);
      const keep = (name, value) => (value === '' ? kept.delete(name) : kept.set(name, value));
      keep('words', this.words.value.trim());
      this.facets.forEach((facet, i) => keep(facet.name, this.selects[i].value));
      const text = kept.toString();
      history.replaceState(null, '', `${location.pathname}${text && `?${text}`}${location.hash}`);
      this.apply();
    }

    reset() {
      this.words.value = '';
      for (const select of this.selects) select.value = '';
      this.change();
      this.words.focus();
    }

    apply() {
      const words = this.words.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
      let shown = 0;
      for (const { item, entry, text } of this.items) {
        const fits = words.every((word) => text.includes(word)) && this.facets.every((facet, i) =>
          this.selects[i].value === '' || entry.facets[facet.position] === this.selects[i].value);
        item.hidden = !fits;
        if (fits) ++shown;
      }
      hideEmptyParts(this.items);
      const all = this.items.length;
      this.status.textContent = shown === all ? `${all} listed` : `${shown} of ${all} shown`;
      this.clear.hidden = shown === all;
    }
  }

  async function start() {
    if (article.querySelectorAll('li a, tbody tr a').length < kFewest) return;
    const { written, entries } = await assay.loadSearch();
    const items = listedItems(entries);
    if (items.length < kFewest) return;
    const filters = new Filters(items, facetsOf(written, items));
    const before = article.querySelector(':scope > h2, :scope > ul:not(.actions), :scope > ol, :scope > .scroll');
    article.insertBefore(filters.form, before);
    addEventListener('popstate', () => filters.read());
    filters.read();
  }
  start().catch(() => {});  // the list is whole without them
})();
