/** How many cells the text takes on a terminal. */
declare function stringWidth(text: string): number;
export = stringWidth;
