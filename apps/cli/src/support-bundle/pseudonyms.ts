import { createHmac, randomBytes } from 'node:crypto';

/**
 * Ids and addresses by their form, wherever they are in a text: of customers, people, apps, secrets and organizations'
 * links; e-mail addresses; IP addresses; URLs and their passwords. A short ID has no form, but a place in sentences.
 */
const forms: [kind: string, form: RegExp][] = [
  ['url', /\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>`\\]+/gi],
  ['email', /[^\s"'<>=,;:()]+@[^\s"'<>=,;:()]+/g],
  ['id', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi],
  ['id', /\b(?:app|sec|hub|org|usr)_[A-Za-z0-9_-]{8,}/g],
  ['organization', /(?<=\baudit log of )[a-z0-9-]+/gi],
  ['address', /\b\d{1,3}(?:\.\d{1,3}){3}\b/g],
  ['address', /(?<![\w:])(?:::1|(?:[0-9a-f]{0,4}:){3,7}[0-9a-f]{0,4})(?![\w:])/gi],
];

/**
 * Replaces what may name somebody by a keyed hash. The key is made for one bundle and forgotten: equal values are equal
 * within the bundle, and nobody can try values against it.
 */
export class Pseudonyms {
  private readonly key = randomBytes(32);
  private readonly hosts: string[];

  /** @param urls whose host names are replaced in messages, such as those of NATS and PostgreSQL */
  constructor(urls: string[]) {
    this.hosts = urls.flatMap(hostsOf).filter((host) => host.length > 1);
  }

  of(kind: string, value: string): string {
    const digest = createHmac('sha256', this.key).update(`${kind}\0${value}`).digest('hex').slice(0, 12);
    return `<${kind}:${digest}>`;
  }

  in(text: string): string {
    const withoutForms = forms.reduce(
      (left, [kind, form]) => left.replace(form, (found) => this.of(kind, found)),
      text,
    );
    return this.hosts.reduce((left, host) => left.replaceAll(host, this.of('host', host)), withoutForms);
  }

  /** Metrics in Prometheus' text format: the value of the label `organization` is a short ID, which has no form. */
  inMetrics(text: string): string {
    // Classes, beside the short IDs that the operator configured (http-observer.ts in libs/service).
    const known = new Set(['none', 'other', 'unverified']);
    return this.in(
      text.replace(/\b(organization|org)="((?:[^"\\]|\\.)*)"/g, (whole, label: string, value: string) =>
        known.has(value) ? whole : `${label}="${this.of('organization', value)}"`,
      ),
    );
  }
}

/** NATS accepts several servers, separated by commas. */
function hostsOf(urls: string): string[] {
  return urls.split(',').flatMap((url) => {
    try {
      const { hostname } = new URL(url.includes('://') ? url.trim() : `nats://${url.trim()}`);
      return [hostname.replace(/^\[|\]$/g, '')];
    } catch {
      return [];
    }
  });
}
