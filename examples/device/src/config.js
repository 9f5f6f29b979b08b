const { ISSUER, CLIENT_ID } = process.env;

if (!ISSUER || !CLIENT_ID) throw new Error('ISSUER or CLIENT_ID is not set. Put both into .env.');

/** No secret: everybody who has the program would have it. */
export const config = { issuer: ISSUER, clientId: CLIENT_ID };
