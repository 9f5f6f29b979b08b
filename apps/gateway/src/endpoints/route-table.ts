import { Injectable } from '@nestjs/common';
import { templateOf } from './route.js';

/** The routes as the router registered them: for the start-up assertion, and for the `Allow` header of a 405. */
@Injectable()
export class RouteTable {
  private readonly byTemplate = new Map<string, { form: RegExp; methods: Set<string> }>();

  add(method: string | string[], url: string): void {
    const template = templateOf(url);
    const route = this.byTemplate.get(template) ?? { form: formOf(template), methods: new Set<string>() };
    for (const m of [method].flat()) route.methods.add(m);
    this.byTemplate.set(template, route);
  }

  /** `METHOD /path/{parameter}` of each route; HEAD comes with GET and is not listed. */
  all(): string[] {
    return [...this.byTemplate].flatMap(([template, { methods }]) =>
      [...methods].filter((m) => m !== 'HEAD').map((m) => `${m} ${template}`),
    );
  }

  /** Methods that the path of a URL supports; none when no route matches it. */
  methodsOf(url: string): string[] {
    const path = url.split('?')[0]!;
    const matching = [...this.byTemplate.values()].filter(({ form }) => form.test(path));
    // A path can match several routes, such as `users/me` and `users/{user}`, which share methods.
    return [...new Set(matching.flatMap(({ methods }) => [...methods]))];
  }
}

function formOf(template: string): RegExp {
  const escaped = template.replace(/[.*+?^$()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\{[A-Za-z]+\}/g, '[^/]+')}$`);
}
