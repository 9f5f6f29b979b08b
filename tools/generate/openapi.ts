import { built } from './built.ts';

/** A placeholder for the address of a deployment. */
const baseUrl = 'https://id.example';

export async function openApiJson(): Promise<string> {
  const { openApi } = (await built('gateway', 'docs/openapi')) as {
    openApi: (endpoints: unknown, baseUrl: string) => object;
  };
  const { declaredEndpoints } = (await built('gateway', 'declared-endpoints')) as { declaredEndpoints: () => unknown };
  return `${JSON.stringify(openApi(declaredEndpoints(), baseUrl), null, 2)}\n`;
}
