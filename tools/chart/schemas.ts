import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { testing, type Rendered } from './helm.ts';

type Schema = Record<string, unknown>;

/** Patterns of custom resources are those of Go, which has the flag for upper and lower case in the pattern. */
const goRegExp = Object.assign(
  (pattern: string) => new RegExp(pattern.replaceAll('(?i)', ''), pattern.includes('(?i)') ? 'iu' : 'u'),
  { code: 'new RegExp' },
);

/** Validates manifests as the API server of a version does that reports unknown members. */
export class KubernetesSchemas {
  readonly #ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, code: { regExp: goRegExp } });
  readonly #kinds: Record<string, string>;
  readonly #custom = readSchema('custom-resources');
  readonly #compiled = new Map<string, ValidateFunction>();

  /** @param version such as `v1.34` */
  constructor(version: string) {
    const { kinds, definitions } = readSchema(`kubernetes-${version}`);
    this.#kinds = kinds as Record<string, string>;
    this.#ajv.addSchema({ $id: 'kubernetes', definitions });
  }

  /** What is wrong with a manifest. */
  problems(manifest: Rendered): string[] {
    const id = `${manifest.apiVersion}/${manifest.kind}`;
    const validate: ValidateFunction | undefined = this.#compiled.get(id) ?? this.#compile(id);
    if (!validate) return [`${id} has no schema; add its kind to tools/chart/collect-schemas.ts`];
    this.#compiled.set(id, validate);
    const isValid: boolean = validate(manifest);
    if (isValid) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${manifest.kind} ${manifest.metadata.name}${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  #compile(id: string): ValidateFunction | undefined {
    if (this.#kinds[id]) return this.#ajv.compile({ $ref: `kubernetes#/definitions/${this.#kinds[id]}` });
    return this.#custom[id] ? this.#ajv.compile(this.#custom[id] as Schema) : undefined;
  }
}

function readSchema(name: string): Schema {
  return JSON.parse(readFileSync(join(testing, 'schemas', `${name}.json`), 'utf8')) as Schema;
}
