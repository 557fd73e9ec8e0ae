// The WebAuthn library takes 28 MiB of memory, so the routes load this file with the first ceremony.
export { addPasskey } from './add-passkey.ts'
export { signInWithPasskey } from './sign-in-with-passkey.ts'
export { signUpWithPasskey } from './sign-up-with-passkey.ts'
export { startRegistration } from './start-registration.ts'
export { startSignUp } from './start-sign-up.ts'
