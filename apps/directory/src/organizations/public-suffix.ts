import { publicSuffixList } from './public-suffix-list.js';

let rules: Map<string, Set<string>> | undefined;

/** Read when it is first needed: hardly any process ever needs it. */
function children(parent: string): Set<string> | undefined {
  if (!rules) {
    rules = new Map();
    for (const entry of publicSuffixList.split(/[\n;]/)) {
      const [name = '', labels = ''] = entry.trim().split(':');
      const known = rules.get(name) ?? new Set();
      for (const label of labels.trim().split(' ')) known.add(label);
      rules.set(name, known);
    }
  }
  return rules.get(parent);
}

/** Whether anybody can register names directly below this one (https://publicsuffix.org/list), such as `com`, `co.uk`, `github.io`. */
export function isPublicSuffix(domain: string): boolean {
  const dot = domain.indexOf('.');
  if (dot < 0) return true;
  const [label, below] = [domain.slice(0, dot), children(domain.slice(dot + 1))];
  return below !== undefined && !below.has(`!${label}`) && (below.has(label) || below.has('*'));
}
