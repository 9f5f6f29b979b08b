import { describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { endpoint } from '@holdfast/contracts/http';
import { controllersOf, endpointsOf } from './discover.js';
import { Route } from './route.js';

const declared = (id: string) =>
  endpoint({
    id,
    method: 'GET',
    path: `/${id}`,
    tag: 'Test',
    summary: id,
    public: 'for a test',
    limit: 'page',
    responses: { 200: { description: 'Done' } },
  });
const [first, second] = [declared('first'), declared('second')];

@Controller()
class FirstController {
  @Route(first)
  first(): string {
    return '';
  }

  notARoute(): string {
    return '';
  }
}
@Controller()
class SecondController {
  @Route(second)
  second(): string {
    return '';
  }
}
@Module({ controllers: [SecondController] })
class SecondModule {}
@Module({ imports: [SecondModule] })
class BridgeModule {}
@Module({ imports: [SecondModule, BridgeModule], controllers: [FirstController] })
class FirstModule {}

describe('discovery of endpoints', () => {
  it('finds the controllers of a module and of its imports, each once', () => {
    expect(controllersOf(FirstModule)).toEqual([FirstController, SecondController]);
  });

  it('finds the declarations of controller methods', () => {
    expect(endpointsOf([FirstController, SecondController])).toEqual([first, second]);
  });
});
