// Writes JSON Schemas as types of Python: a TypedDict for each object, Literal for what has few values.

/**
 * @typedef {{ $ref?: string, type?: string, const?: unknown, enum?: unknown[], anyOf?: Schema[], oneOf?: Schema[],
 *   items?: Schema, properties?: Record<string, Schema>, required?: string[], description?: string,
 *   additionalProperties?: Schema | boolean }} Schema
 */

const keywords = new Set(['as', 'class', 'def', 'from', 'global', 'import', 'in', 'is', 'not', 'pass']);

/** @param {string} name */
export function snake(name) {
  const text = name
    .replaceAll('-', '_')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase();
  return keywords.has(text) ? `${text}_` : text;
}

/** @param {string} name */
export function pascal(name) {
  return name.replaceAll(/(?:^|[^A-Za-z0-9]+)([a-z])?/gi, (_, letter = '') => letter.toUpperCase());
}

/**
 * @param {string} text
 * @param {number} indent in columns
 */
export function docstring(text, indent) {
  const margin = ' '.repeat(indent);
  const lines = text.split('\n').flatMap((line) => wrapped(line, 118 - indent));
  const quoted = lines.join('\n').replaceAll('"""', "'''");
  const mark = quoted.includes('\\') ? 'r"""' : '"""';
  const end = lines.length > 1 ? `\n${margin}"""` : `${/["\\]$/.test(quoted) ? ' ' : ''}"""`;
  return `${margin}${mark}${quoted.replaceAll(/\n(?!\n)/g, `\n${margin}`)}${end}`;
}

/**
 * @param {string} line
 * @param {number} columns
 */
function wrapped(line, columns) {
  const lines = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last !== '' && `${last} ${word}`.length > columns) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

/** The types of one module. Objects within objects get names of their own: that of the outer one and of the member. */
export class Types {
  /** @type {Map<string, string>} */
  #classes = new Map();
  /** @type {string[]} */
  #aliases = [];

  /** @param {Record<string, Schema>} schemas */
  constructor(schemas) {
    const events = schemas.Event?.oneOf?.map(({ $ref = '' }) => $ref.replace(/.*\//, '')) ?? [];
    for (const [name, schema] of Object.entries(schemas))
      if (schema.type === 'object' && schema.properties) this.#declare(name, schema);
      else this.#aliases.push(`${name} = ${this.annotation(schema, name, '', 'Union')}\n`);
    for (const name of events) this.#declare(name.replace(/Event$/, 'Webhook'), webhookOf(schemas[name], name));
    this.#aliases.push(
      `WebhookEvent = Union[${events.map((name) => name.replace(/Event$/, 'Webhook')).join(', ')}]\n`,
      '#: The codes of problems, each explained in the API reference.\n' +
        `ErrorCode = ${this.annotation(schemas.Problem?.properties?.code ?? {}, '')}\n`,
      '#: The types of events.\n' +
        `EventType = Literal[${events.map((name) => JSON.stringify(typeOfEvent(schemas[name]))).join(', ')}]\n`,
    );
  }

  /**
   * @param {Schema} schema
   * @param {string} name of the type, if it needs one
   * @param {string} prefix of names of this module
   * @param {'|' | 'Union'} union how several types are written: an alias is evaluated by Python 3.10 too
   * @returns {string}
   */
  annotation(schema, name, prefix = '', union = '|') {
    if (schema.$ref) return prefix + schema.$ref.replace(/.*\//, '');
    const several = schema.anyOf ?? schema.oneOf;
    if (several) {
      const isOneObject = several.filter(({ type }) => type === 'object').length === 1;
      const nameOf = (/** @type {Schema} */ one, /** @type {number} */ i) =>
        isOneObject ? name : variantOf(name, one, i);
      const named = several.map((one, i) => this.annotation(one, nameOf(one, i), prefix, union));
      const unique = [...new Set(named)];
      return union === '|' || unique.length === 1 ? unique.join(' | ') : `Union[${unique.join(', ')}]`;
    }
    const values = schema.const === undefined ? schema.enum : [schema.const];
    if (values) return `Literal[${values.map(literal).join(', ')}]`;
    if (schema.type === 'array') return `list[${this.annotation(schema.items ?? {}, name, prefix, union)}]`;
    if (schema.type === 'object') {
      if (schema.properties && Object.keys(schema.properties).length > 0) {
        this.#declare(name, schema);
        return prefix + name;
      }
      const { additionalProperties: value = {} } = schema;
      return `dict[str, ${typeof value === 'object' ? this.annotation(value, name, prefix, union) : 'Any'}]`;
    }
    const plain = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };
    return plain[/** @type {keyof typeof plain} */ (schema.type)] ?? 'Any';
  }

  module() {
    return `from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired

${[...this.#classes.values()].join('')}

${this.#aliases.sort((a, b) => Number(b.includes('= list[')) - Number(a.includes('= list['))).join('\n')}`;
  }

  /**
   * @param {string} name
   * @param {Schema} schema
   */
  #declare(name, { description, properties = {}, required = [] }) {
    const written = this.#body(name, properties, required, description);
    if ((this.#classes.get(name) ?? written) !== written) throw new Error(`There are two types ${name}.`);
    this.#classes.set(name, written);
  }

  /**
   * @param {string} name
   * @param {Record<string, Schema>} properties
   * @param {string[]} required
   * @param {string | undefined} description
   */
  #body(name, properties, required, description) {
    const members = Object.entries(properties).map(([key, schema]) => {
      const type = this.annotation(schema, name + pascal(key));
      return { key, type: required.includes(key) ? type : `NotRequired[${type}]`, text: schema.description };
    });
    // A member that is no identifier cannot be written as an attribute.
    if (members.some(({ key }) => keywords.has(key) || !/^\w+$/.test(key)))
      return `\n${name} = TypedDict(\n    "${name}",\n    {\n${members
        .map(({ key, type }) => `        "${key}": ${JSON.stringify(type.replaceAll('"', "'"))},\n`)
        .join('')}    },\n)\n`;
    const text = description ? `${docstring(description, 4)}\n\n` : '';
    const lines = members.map(
      (member) => `    ${member.key}: ${member.type}\n${member.text ? `${docstring(member.text, 4)}\n` : ''}`,
    );
    return `\n\nclass ${name}(TypedDict):\n${text}${lines.join('') || '    pass\n'}`;
  }
}

/** @param {unknown} value */
function literal(value) {
  return typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
}

/**
 * @param {string} name
 * @param {Schema} schema
 * @param {number} i
 */
function variantOf(name, { properties = {} }, i) {
  const [tag] = Object.values(properties).flatMap((member) => (typeof member.const === 'string' ? [member.const] : []));
  return name + (tag === undefined ? `${i + 1}` : pascal(tag));
}

/** @param {Schema | undefined} schema */
function typeOfEvent(schema) {
  return schema?.properties?.type?.const;
}

/**
 * A CloudEvent, as docs/webhooks.md describes it, with the type and data of an event.
 * @param {Schema | undefined} event
 * @param {string} name
 * @returns {Schema}
 */
function webhookOf(event, name) {
  const { type = {}, data = {} } = event?.properties ?? {};
  return {
    type: 'object',
    description: event?.description,
    required: ['specversion', 'id', 'source', 'type', 'time', 'sequence', 'version', 'data'],
    properties: {
      specversion: { const: '1.0' },
      id: {
        type: 'string',
        description: 'The same when the message comes again: keep it for a week, and skip it then',
      },
      source: { type: 'string' },
      type,
      subject: { type: 'string' },
      time: { type: 'string' },
      sequence: { type: 'string', description: 'Orders all events of the organization' },
      version: { type: 'integer', description: 'Orders the events of one customer, app or person' },
      data: data.properties ? { $ref: `${name}Data` } : data,
    },
  };
}
