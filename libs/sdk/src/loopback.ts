/** Plain http is for a Holdfast on your own machine only: elsewhere it would send secrets and tokens in the clear. */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname.endsWith('.localhost') || ['127.0.0.1', '[::1]'].includes(hostname);
}
