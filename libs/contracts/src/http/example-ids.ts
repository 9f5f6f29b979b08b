/** Ids in examples of several areas. */
export const clientIdExample = 'app_Ab3dE6gH9jK2mN5pQ8sT1v';
export const groupIdExample = '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04';
export const userIdExample = '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10';
