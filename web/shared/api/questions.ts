import { createQuestion } from './question.ts'

/** "Is it still you?", when an endpoint requires a fresh session. */
export const stepUp = createQuestion()

/** "You have been signed out", when the session of the page has ended. */
export const signInAgain = createQuestion()
