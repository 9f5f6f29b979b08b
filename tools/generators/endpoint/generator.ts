import { formatFiles, type Tree } from '@nx/devkit';
import { addAction, addContract, addToPrepared } from './contract.ts';
import { addHandler, addTest } from './handler.ts';
import { addHttp } from './http.ts';
import { checkOptions, type EndpointOptions } from './options.ts';

/** Writes what CONTRIBUTING.md "Add an endpoint" lists, so that what is left is the behaviour. */
export default async function endpointGenerator(tree: Tree, options: EndpointOptions): Promise<void> {
  checkOptions(tree, options);
  addContract(tree, options);
  addToPrepared(tree, options);
  addAction(tree, options);
  addHttp(tree, options);
  addHandler(tree, options);
  addTest(tree, options);
  await formatFiles(tree);
}
