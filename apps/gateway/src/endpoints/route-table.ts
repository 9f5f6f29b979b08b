import { Injectable } from '@nestjs/common';

/** The routes that the router really has, noted down as they are registered: for the assertion at start and for 405. */
@Injectable()
export class RouteTable {
  private readonly byTemplate = new Map<string, { form: RegExp; methods: Set<string> }>();

  add(method: string | string[], url: string): void {
    const template = url.replace(/:([A-Za-z]+)/g, '{$1}');
    const known = this.byTemplate.get(template) ?? { form: formOf(template), methods: new Set<string>() };
    for (const m of [method].flat()) known.methods.add(m);
    this.byTemplate.set(template, known);
  }

  /** `METHOD /path/{parameter}` of each route; HEAD comes with GET and is not listed. */
  all(): string[] {
    return [...this.byTemplate].flatMap(([template, { methods }]) =>
      [...methods].filter((m) => m !== 'HEAD').map((m) => `${m} ${template}`),
    );
  }

  /** Methods that an address supports; none when there is nothing at all. */
  methodsOf(url: string): string[] {
    const path = url.split('?')[0]!;
    return [...this.byTemplate.values()].filter(({ form }) => form.test(path)).flatMap(({ methods }) => [...methods]);
  }
}

function formOf(template: string): RegExp {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{[A-Za-z]+\}/g, '[^/]+')}$`);
}
