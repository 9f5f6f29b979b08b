/** Where offers are made, and as which app. */
export function configOf(env: NodeJS.ProcessEnv) {
  return {
    baseUrl: env.HOLDFAST_URL ?? 'http://localhost:8080',
    organization: env.ORGANIZATION ?? 'acme',
    clientId: env.CLIENT_ID ?? '',
    clientSecret: env.CLIENT_SECRET ?? '',
  };
}

export const config = configOf(process.env);
