/** RegistrationResponseJSON, for the API reference. */
export const registrationExample = {
  id: 'q83vEjRWeJA',
  rawId: 'q83vEjRWeJA',
  type: 'public-key',
  clientExtensionResults: {},
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
    attestationObject: 'o2NmbXRkbm9uZQ',
    transports: ['internal'],
  },
};
