export * from './authentication.js';
export * from './challenges.js';
export * from './clear-challenges.js';
export * from './provider-name.js';
export * from './registration.js';
export * from './relying-party.js';
export * from './sign-in.js';
export * from './user-handle.js';
