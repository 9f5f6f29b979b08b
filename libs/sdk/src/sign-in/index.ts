export { SignIn, SignInError, type PendingSignIn, type SignedIn, type SignInOptions } from './sign-in.js';
