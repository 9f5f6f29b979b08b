import type { Routes } from '../web/routes.ts';
import { account } from './account.ts';
import { callback, signIn, signOut } from './sign-in.ts';
import { signUp, signUpForm, waiting, welcome } from './sign-up.ts';
import { staffCustomer } from './staff-customer.ts';
import { changeCredential, eraseCustomer, offerAgain, withdrawOffer } from './staff-deeds.ts';
import { staff } from './staff-list.ts';
import { start } from './start.ts';

/** Every page of the shop, below /{organization}. */
export const routes: Routes = {
  'GET /': start,
  'GET /sign-up': signUpForm,
  'POST /sign-up': signUp,
  'GET /sign-up/sent': waiting,
  'GET /welcome': welcome,
  'GET /sign-in': signIn,
  'GET /callback': callback,
  'POST /sign-out': signOut,
  'GET /account': account,
  'GET /staff': staff,
  'GET /staff/:subject': staffCustomer,
  'POST /staff/:subject/offer': offerAgain,
  'POST /staff/:subject/withdraw': withdrawOffer,
  'POST /staff/:subject/credentials/:credential/:act': changeCredential,
  'POST /staff/:subject/erase': eraseCustomer,
};
