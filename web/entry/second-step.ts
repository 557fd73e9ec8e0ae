/** A chunk of its own: most sign-ins need no code. */
export { RecoveryCodesLeft } from './RecoveryCodesLeft.tsx'
export { SecondStepPage } from './SecondStepPage.tsx'
