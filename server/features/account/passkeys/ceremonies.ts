// What needs the library for WebAuthn. It takes 28 MiB, so the routes load this file with the first ceremony.
export { addPasskey } from './add-passkey.ts'
export { signInWithPasskey } from './sign-in-with-passkey.ts'
export { signUpWithPasskey } from './sign-up-with-passkey.ts'
export { startRegistration } from './start-registration.ts'
export { startSignUp } from './start-sign-up.ts'
