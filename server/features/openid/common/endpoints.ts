/** The paths of the endpoints under the library's names. */
export const ENDPOINTS = {
  authorization: '/api/auth/oauth2/authorize',
  token: '/api/auth/oauth2/token',
  userinfo: '/api/auth/oauth2/userinfo',
  introspection: '/api/auth/oauth2/introspect',
  revocation: '/api/auth/oauth2/revoke',
  end_session: '/api/auth/oauth2/end-session',
  pushed_authorization_request: '/api/auth/oauth2/par',
  device_authorization: '/api/auth/device/code',
  code_verification: '/device',
  jwks: '/api/auth/jwks',
}
