/** The operand of the commands that read a mirror. */
export const FOLDER = { written: '<folder>', describe: 'the folder of the mirror' };
