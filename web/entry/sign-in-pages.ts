import { Home } from './Home.tsx'
import { SignIn } from './SignIn.tsx'

/** A chunk of its own: most visits need no other page of this folder. */
export const pages = { Home, SignIn }
