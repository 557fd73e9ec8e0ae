import './security.css'
import { Security } from './Security.tsx'

export const pages = { Security }
