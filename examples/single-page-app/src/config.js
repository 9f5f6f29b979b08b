const { ISSUER, CLIENT_ID, ORIGIN = 'http://localhost:3001' } = process.env;

if (!ISSUER || !CLIENT_ID) throw new Error('ISSUER or CLIENT_ID is not set. Put both into .env.');

/** No secret: browsers cannot keep one. */
export const config = { issuer: ISSUER, clientId: CLIENT_ID, origin: ORIGIN };
