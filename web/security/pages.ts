import { Security } from './Security.tsx'

export const pages = { Security }
