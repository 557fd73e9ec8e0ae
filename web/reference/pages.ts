import { Reference } from './Reference.tsx'

export const pages = { Reference }
