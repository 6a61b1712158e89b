/** A self-signed certificate for the documentation; nobody has its key. */
const pem = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBkTCCATegAwIBAgIUA3RWnSAZqq7DtHUWrYqJ3TVTTaAwCgYIKoZIzj0EAwIw',
  'HTEbMBkGA1UEAwwSY2xpZW50LmV4YW1wbGUuY29tMCAXDTI2MTEyMTEwNTA0N1oY',
  'DzIxMjYxMDI4MTA1MDQ3WjAdMRswGQYDVQQDDBJjbGllbnQuZXhhbXBsZS5jb20w',
  'WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQz0fMnDdhq+MQtTRBC121hmzJoT6iC',
  'UuixuXmTHkHeV4JmuYMR+sSZz9QvJPddt3OKQ24kGeiw/dh48LilPGcFo1MwUTAd',
  'BgNVHQ4EFgQUchHndSr3l5pC+OibroDEhtc6bI0wHwYDVR0jBBgwFoAUchHndSr3',
  'l5pC+OibroDEhtc6bI0wDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBF',
  'AiEAzgvNsGAJIO6vDMC0n0c1DWigBINfRai0GRHTvb+mJxICIF4LYVuYa2FoaEyI',
  'oGdbdD43vYA1M9DWq10nTuf2lh1Q',
  '-----END CERTIFICATE-----',
  '',
].join('\n')

/** A certificate without a key: it is stored, and only its `ca` has a use. */
export const exampleNewCertificate = { host: '*.internal.example.com', cert: pem, ca: pem }

export const exampleCertificate = {
  id: '0d9c1f52-51c5-4c8c-b7a0-3d8f4a5e2c11',
  ...exampleNewCertificate,
  created_at: '2026-01-01T00:00:00.000Z',
}
